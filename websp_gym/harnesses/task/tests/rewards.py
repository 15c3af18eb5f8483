"""Write the rewards of the episode that a run has: ``python rewards.py RUN LOGS``."""

import json
import sys
from pathlib import Path

run, logs = map(Path, sys.argv[1:])
lines = (run / "results.jsonl").read_text("utf-8").splitlines()
result = json.loads(lines[-1])
print(result["status"], result["error"] or result["reason"])
if result["status"] not in ("pass", "fail"):
    sys.exit(f"the episode has no score: {result['status']}")
rewards = {"reward": result["reward"], "strict": result["strict"]}
if result["policies"] is not None:
    rewards["policies"] = float(all(policy["kept"] for policy in result["policies"]))
text = json.dumps({name: value for name, value in rewards.items() if value is not None})
(logs / "reward.json").write_text(text, "utf-8")
