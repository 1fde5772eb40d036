"""Valid scores from what was assessed: samples of a pool, estimates from them, the reliability of a judge, planning."""
