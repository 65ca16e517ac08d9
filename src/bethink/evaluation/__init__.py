"""How well questions are answered: golden questions, metrics, differences between runs, calibration."""
