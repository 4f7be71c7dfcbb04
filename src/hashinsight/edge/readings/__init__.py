"""From what a machine answered to the record that goes to the cloud. Pure."""
