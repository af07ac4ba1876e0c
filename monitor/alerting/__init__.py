"""Alert states, the delivery plan and alert messages. Every module except notify/ is pure."""
