"""The HTTP interface of a running watch: metrics, triggers, status."""
