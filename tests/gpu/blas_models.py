# SPDX-License-Identifier: Apache-2.0
"""Language models that know nothing of hone, with random weights made on the spot.

    python3 blas_models.py MODEL [--compile] [--pad N] [--steps N] [--seconds S]
        [--library cublas|cublaslt] [--deterministic] [--tiny]

MODEL: gpt2 (a training step of GPT-2 of 124 M parameters, 50257 tokens, bf16
autocast), llama (the forward pass of four layers of width 4096, 32001 tokens,
bf16), llama-generate (a token for each of 1, 8, 64 sequences), bert (a training
step of BERT, 30522 tokens, bf16 autocast). --pad rounds the vocabulary up to a
multiple of N; --library says which of PyTorch's libraries multiplies, so that it is
seen by how much losses differ for other algorithms alone. A line for each: tokens a
second (median, least and most of the steps), the first loss and the last. With
--deterministic PyTorch's own kernels add in the same order in every run, so that two
runs that differ differ because of a product; the sum of all losses is printed, too.
llama-generate says besides what a step takes the device alone, as a graph that is
replayed: its host needs several times as long.
--tiny is for a look without a GPU.
"""

import argparse
import json
import statistics
import time

import torch
import transformers


def padded(n, to):
    return n if not to else (n + to - 1) // to * to


def gpt2(args):
    small = dict(n_layer=1, n_embd=64, n_head=2) if args.tiny else {}
    config = transformers.GPT2Config(vocab_size=padded(50257, args.pad),
                                     resid_pdrop=0.0, embd_pdrop=0.0,
                                     attn_pdrop=0.0, **small)
    return transformers.GPT2LMHeadModel(config), 50257, (8, 1024), True


def bert(args):
    small = (dict(num_hidden_layers=1, hidden_size=64, num_attention_heads=2,
                  intermediate_size=128) if args.tiny else {})
    config = transformers.BertConfig(vocab_size=padded(30522, args.pad),
                                     hidden_dropout_prob=0.0,
                                     attention_probs_dropout_prob=0.0, **small)
    return transformers.BertForMaskedLM(config), 30522, (32, 512), True


def llama(args):
    small = (dict(hidden_size=64, num_hidden_layers=1, num_attention_heads=2,
                  intermediate_size=128) if args.tiny else
             dict(hidden_size=4096, num_hidden_layers=4,
                  num_attention_heads=32, intermediate_size=11008))
    config = transformers.LlamaConfig(vocab_size=padded(32001, args.pad),
                                      **small)
    model = transformers.LlamaForCausalLM(config).to(torch.bfloat16)
    return model, 32001, (4, 1024), False


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(args, device, n_tokens, step):
    """Tokens a second of each step, after those that warm up."""
    rates, first, loss, total = [], None, None, 0.0
    begun = time.monotonic()
    for i in range(args.steps + 3):
        wait(device)
        start = time.perf_counter()
        loss = step()
        wait(device)
        first = loss if first is None else first
        total += float(loss)
        if i >= 3:
            rates.append(n_tokens / (time.perf_counter() - start))
        if time.monotonic() - begun > args.seconds and len(rates) >= 3:
            break
    return rates, (float(first), float(loss), total)


def say(args, name, rates, losses):
    print(json.dumps({"model": name, "compile": args.compile, "pad": args.pad,
                      "library": args.library, "steps": len(rates),
                      "tokens_per_s": round(statistics.median(rates), 1),
                      "least": round(min(rates), 1),
                      "most": round(max(rates), 1), "first_loss": losses[0],
                      "loss": losses[1], "sum_of_losses": losses[2]}),
          flush=True)


def train(args, device, model, ids):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    run = torch.compile(model) if args.compile else model

    def step():
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = run(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    return timed(args, device, ids.numel(), step)


def forward(args, device, model, ids):
    run = torch.compile(model) if args.compile else model

    @torch.no_grad()
    def step():
        return run(input_ids=ids).logits.float().square().mean()

    return timed(args, device, ids.numel(), step)


def replayed_us(step, rounds=15, replays=20):
    """What a step takes as a graph: median, least and most of the rounds."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        graph.replay()
        begin.record()
        for _ in range(replays):
            graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / replays)
    return [round(t, 2) for t in (statistics.median(times), min(times),
                                  max(times))]


def generate(args, device, model, vocabulary):
    """A step is a token for each sequence, with the keys and values kept."""
    for batch in (1, 8, 64):
        ids = torch.randint(vocabulary, (batch, 1), device=device)
        cache = transformers.DynamicCache()

        @torch.no_grad()
        def step():
            out = model(input_ids=ids, past_key_values=cache, use_cache=True)
            return out.logits.float().square().mean()

        rates, losses = timed(args, device, batch, step)
        say(args, f"llama-generate {batch}", rates, losses)
        if device == "cuda":
            us = replayed_us(step)
            print(json.dumps({"model": f"llama-generate {batch}",
                              "pad": args.pad, "device_us": us[0],
                              "least": us[1], "most": us[2]}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=["gpt2", "llama", "llama-generate",
                                          "bert"])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--pad", type=int, default=0)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--library", choices=["cublas", "cublaslt"])
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    torch.use_deterministic_algorithms(args.deterministic)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    if args.library:
        torch.backends.cuda.preferred_blas_library(args.library)
    make = llama if args.model.startswith("llama") else globals()[args.model]
    with torch.device(device):  # filled where it is used, which is much faster
        model, vocabulary, shape, trains = make(args)
    if args.tiny:
        shape = (2, 16)
    if args.model == "llama-generate":
        generate(args, device, model, vocabulary)
        return
    ids = torch.randint(vocabulary, shape, device=device)
    rates, losses = (train if trains else forward)(args, device, model, ids)
    say(args, args.model, rates, losses)


main()
