"""Valid scores from what was assessed: samples of a pool, estimates from them, how far a judge is trusted, planning."""
