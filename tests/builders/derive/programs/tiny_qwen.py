"""Write a tiny model with Qwen's chat template into a folder.

    python tiny_qwen.py FOLDER

Run it in the environment of a framework.
"""

import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

words = {
    word: number
    for number, word in enumerate([*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())])
}
inner = Tokenizer(models.BPE(vocab=words, merges=[]))
inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
inner.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=inner,
    eos_token="<|im_end|>",
    pad_token="<|endoftext|>",
    additional_special_tokens=["<|im_start|>"],
)
tokenizer.chat_template = TEMPLATE
tokenizer.save_pretrained(sys.argv[1])
config = Qwen2Config(
    vocab_size=len(words),
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=8192,
)
Qwen2ForCausalLM(config).save_pretrained(sys.argv[1])
