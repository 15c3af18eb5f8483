"""Training with TRL: SFT on rollouts of the oracle, then GRPO. Needs no GPU, no key and no network.

    pip install -e '.[trl]' -c constraints.txt
    python docs/examples/grpo_trl.py [--model Qwen/Qwen3-4B] [--sft-steps 80] [--grpo-steps 8]

Without --model it makes a tiny random model, and a tokenizer for the pages of the instances below, which takes a few
minutes on a CPU. A real model needs other numbers than these: a smaller learning rate, larger groups and batches,
longer completions (a page has about 400 tokens) and more instances.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    set_seed,
)
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
from trl.chat_template_utils import qwen2_5_chat_template

from websp_gym.rollouts import Pool, Transcript, agent_policy, choose_episodes
from websp_gym.trainers.trl import WebspTools, environments, make_dataset, make_reward, to_sft

INSTANCES = ("Steam-task-191-ON", "Steam-task-191-OFF")
"""The same task from two initial states: two switches to turn off, and nothing to do."""
OPTIONS: dict[str, Any] = {"max_actions": 10}
"""Demonstrations and rollouts have the same, since pages say how many actions are left."""
COMMON = {
    "report_to": "none",
    "save_strategy": "no",
    "logging_steps": 1,
    "lr_scheduler_type": "constant",
    "bf16": False,
}


def demonstrations(ids: Sequence[str]) -> list[Transcript]:
    """Let the oracle play each instance, and return what passed."""
    with Pool(2, **OPTIONS) as pool:
        played = pool.rollouts([(name, 0) for name in ids], agent_policy("oracle"))
    return [one for one in played if one.reward == 1.0]


def make_tokenizer(data: Dataset) -> Any:
    """Train a tokenizer on the conversations; most lines of them become one token, so a page has about 40."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"<\|\w+\|>|</?tool_\w+>"), "isolated"),
            pre_tokenizers.Split("\n", "merged_with_previous"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|endoftext|>", bos_token="<|im_start|>"
    )
    tokenizer.chat_template = qwen2_5_chat_template
    tokenizer.add_tokens(["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"])
    texts = [
        tokenizer.apply_chat_template(row["messages"], tools=json.loads(row["tools"]), tokenize=False)
        for row in data
    ]
    trained = tokenizer.train_new_from_iterator(texts, 4_000)
    trained.chat_template = qwen2_5_chat_template
    return trained


def make_model(tokenizer: Any) -> Any:
    """Make a random model of 0.9 million parameters, for which a second thread would be a burden."""
    torch.set_num_threads(1)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=16_384,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen2ForCausalLM(config)


def imitate(model: Any, tokenizer: Any, data: Dataset, folder: str, steps: int) -> float:
    """Train on demonstrations; return the last loss. After 80 steps about half of the rollouts succeed."""
    config = SFTConfig(
        folder,
        max_steps=steps,
        per_device_train_batch_size=len(data),
        learning_rate=1e-3,
        max_length=None,
        assistant_only_loss=True,
        **COMMON,
    )
    trainer = SFTTrainer(model, config, train_dataset=data, processing_class=tokenizer)
    trainer.train()
    return float([entry["loss"] for entry in trainer.state.log_history if "loss" in entry][-1])


def improve(
    model: Any, tokenizer: Any, factory: Callable[[], WebspTools], data: Dataset, folder: str, steps: int
) -> list[dict[str, Any]]:
    """Train on rewards, a group of four rollouts a step; return what TRL logged of each step."""
    config = GRPOConfig(
        folder,
        max_steps=steps,
        per_device_train_batch_size=4,
        num_generations=4,
        learning_rate=1e-4,
        max_completion_length=1_500,
        max_tool_calling_iterations=12,
        **COMMON,
    )
    trainer = GRPOTrainer(
        model,
        make_reward(tokenizer.eos_token_id),
        config,
        train_dataset=data,
        processing_class=tokenizer,
        environment_factory=factory,
    )
    trainer.train()
    return [entry for entry in trainer.state.log_history if "reward" in entry]


def main() -> None:
    """Trains, and prints the loss of the SFT and what TRL logged of each step of GRPO."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--sft-steps", type=int, default=80)
    parser.add_argument("--grpo-steps", type=int, default=8)
    given = parser.parse_args()

    set_seed(0)
    data = to_sft(demonstrations(INSTANCES))
    tokenizer = AutoTokenizer.from_pretrained(given.model) if given.model else make_tokenizer(data)
    model = AutoModelForCausalLM.from_pretrained(given.model) if given.model else make_model(tokenizer)
    with tempfile.TemporaryDirectory() as folder, environments(**OPTIONS) as factory:
        print("loss after SFT:", imitate(model, tokenizer, data, folder, given.sft_steps))
        starts = make_dataset(choose_episodes(INSTANCES, solved="drop"))
        for step, entry in enumerate(improve(model, tokenizer, factory, starts, folder, given.grpo_steps), 1):
            known = ("reward", "reward_std", "grad_norm", "tools/call_frequency", "tools/failure_frequency")
            print(f"step {step}:", {name: entry[name] for name in known})


if __name__ == "__main__":
    main()
