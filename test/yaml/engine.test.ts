import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { yamlToJson } from '../../core/yaml/yaml-to-json.ts';
import { documents } from './documents.ts';

/** A value with its kind, as `engine-reads.py` writes it. */
type Kind =
  | null
  | boolean
  | { text: string }
  | { unsafe: string }
  | { vault: string }
  | { int: string }
  | { float: string }
  | { list: Kind[] }
  | { dict: [Kind, Kind][] };
type Answer = { value: Kind } | { unheld: string } | { refused: string };

const own = join(import.meta.dirname, '../../.tools/engine/bin/python');
const python = existsSync(own) ? own : '/usr/bin/python3';

function engineReads(texts: string[]): Answer[] {
  const { stdout, stderr } = spawnSync(python, [join(import.meta.dirname, 'engine-reads.py')], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', ANSIBLE_DUPLICATE_YAML_DICT_KEY: 'ignore' },
  });
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

const float = (digits: string) => ({ float: Number(digits) });

/** What we read, numbers told apart as Python does. */
function read(text: string): { value: unknown } | { refused: string } {
  const parse = JSON.parse as (
    text: string,
    revive: (key: string, value: unknown, context: { source: string }) => unknown,
  ) => unknown;
  try {
    const value = parse(yamlToJson({ text, engineTags: true }), (_, one, { source }) =>
      typeof one !== 'number' ? one : /[.e]/i.test(source) ? float(source) : { int: source },
    );
    return { value };
  } catch (error) {
    if (error instanceof SyntaxError) return { refused: error.message };
    throw error;
  }
}

/** The same in the same form: JSON has texts for names, marks for texts that are unsafe or encrypted, and no more. */
function held(kind: Kind): unknown {
  if (kind === null || typeof kind === 'boolean') return kind;
  if ('text' in kind) return kind.text;
  if ('unsafe' in kind) return { __ansible_unsafe: kind.unsafe };
  if ('vault' in kind) return { __ansible_vault: kind.vault };
  if ('float' in kind) return float(kind.float);
  if ('list' in kind) return kind.list.map(held);
  if ('int' in kind) return kind;
  return Object.fromEntries(kind.dict.map(([name, value]) => [nameOf(name), held(value)]));
}

function nameOf(kind: Kind): string {
  if (kind === null || typeof kind === 'boolean') return String(kind);
  if (!('float' in kind)) return Object.values(kind)[0] as string;
  const digits = String(Number(kind.float));
  return kind.float.startsWith('-0.0') ? kind.float : /[.e]/.test(digits) ? digits : `${digits}.0`;
}

describe('YAML as the engine reads it', function () {
  it('means the same in some thousand documents', () => {
    const texts = fc.sample(documents, { numRuns: 4000, seed: 11 });
    const counts = { same: 0, refused: 0, wider: 0, stricter: 0 };
    for (const [index, engine] of engineReads(texts).entries()) {
      const text = texts[index]!;
      const ours = read(text);
      const shown = `${JSON.stringify(text)}\n engine ${JSON.stringify(engine)}\n ours ${JSON.stringify(ours)}`;
      if ('value' in engine && 'value' in ours) {
        expect(ours.value, shown).to.deep.equal(held(engine.value));
        counts.same++;
      } else if ('value' in engine) {
        // what this means to the engine depends on what it happens to read first
        expect((ours as { refused: string }).refused, shown).to.match(/on the other side of an !unsafe/);
        counts.stricter++;
      } else if ('value' in ours) {
        // the grammar of YAML 1.2 is a little wider
        expect((engine as { refused: string }).refused, shown).to.match(/^(Scanner|Parser)Error/);
        counts.wider++;
      } else counts.refused++;
    }
    expect(counts.same).to.be.at.least(2000);
    expect(counts.stricter + counts.wider).to.be.below(texts.length / 20);
  });
});
