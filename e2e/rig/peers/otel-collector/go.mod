module otel-collector

go 1.24

require (
	github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter v0.165.1
	go.opentelemetry.io/collector/otelcol v0.165.0
	go.opentelemetry.io/collector/receiver/otlpreceiver v0.165.0
)
