"""The configuration: one YAML file and the environment. No other package reads them."""
