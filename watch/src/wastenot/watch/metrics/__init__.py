"""A view as metrics: for Prometheus (OpenMetrics) and for OTLP."""
