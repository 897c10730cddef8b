//! Driving LTTng to record the kernel.
