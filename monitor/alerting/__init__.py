"""From a finding to a person: alert state, delivery plan, message. Pure but for notify/."""
