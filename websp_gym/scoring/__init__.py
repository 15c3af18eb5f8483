"""From an ended episode to a verdict: state reward, judge, failure kinds."""
