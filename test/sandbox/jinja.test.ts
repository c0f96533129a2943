import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRunner } from '../../core/sandbox/isolate/main.ts';
import { context, expressions } from './expressions.ts';

const root = join(import.meta.dirname, '../..');
// the parser belongs to core
const nunjucks = createRequire(join(root, 'core/package.json'))('nunjucks');

const templates = [
  'Hello {{ event.repository.name }}!',
  '{% for name in names %}{{ loop.index }}:{{ name }}{% if not loop.last %}, {% endif %}{% endfor %}',
  '{% for key, value in event.repository.owner.items() %}{{ key }}={{ value }}{% endfor %}',
  '{% for x in [] %}x{% else %}nothing{% endfor %}',
  '{% if n > 10 %}big{% elif n > 5 %}medium{% else %}small{% endif %}',
  '{% set total = numbers|sum %}{{ total * 2 }}',
  '{% for a, b in [(1, 2), (3, 4)] %}{{ a + b }};{% endfor %}',
  '{{ "<b>" }} {{ yes }} {{ event.nothing }} {{ [1, "x"] }}',
  '{% for n in range(3) %}{{ loop.revindex }}{{ loop.first }}{% endfor %}{{ n }}',
  '{# not shown #}a{%- if true -%} b {%- endif -%} c',
  '{% if missing %}x{% endif %}',
  '{{ missing }}',
  '{% for x in missing %}{% endfor %}',
  '{% if %}',
  '{% for %}',
  '{% endif %}',
];

type JinjaAnswer = { value: unknown; text: string | null } | { error: string };

const own = join(root, '.tools/engine/bin/python');
const python = existsSync(own) ? own : '/usr/bin/python3';

/** The engine brings Jinja2: what it says is what expressions mean. */
function jinja(what: string[]): JinjaAnswer[] {
  const { stdout, stderr } = spawnSync(python, [join(import.meta.dirname, 'jinja.py')], {
    input: JSON.stringify({ context, expressions: what, templates }),
    encoding: 'utf8',
  });
  expect(stderr).to.equal('');
  return JSON.parse(stdout);
}

/** By the evaluator, in its own words: not because it fell over itself. */
function refused(ours: object, theirs: string): void {
  expect(ours, theirs).to.have.nested.property('error.message').that.is.a('string');
  expect((ours as { error: Error }).error.message).not.to.match(
    /is not a function|(?<!') is not iterable|Cannot |is not defined|Maximum/,
  );
}

describe('expressions and templates', () => {
  const run = createRunner(nunjucks);
  let answers: JinjaAnswer[];
  before(() => {
    answers = jinja(expressions);
  });

  for (const [i, expression] of expressions.entries())
    it(`mean what they mean to Jinja2: ${expression.trim() || '(nothing)'}`, () => {
      const theirs = answers[i]!;
      const ours = run({ kind: 'evaluate', source: expression, maxOutput: 1e6 }, context);
      if ('error' in theirs) return refused(ours, theirs.error);
      expect(ours).to.deep.equal({ value: theirs.value });
      const printed = run({ kind: 'render', source: `{{ ${expression} }}`, maxOutput: 1e6 }, context);
      if (theirs.text !== null) expect(printed).to.deep.equal({ value: theirs.text });
    });

  for (const [i, template] of templates.entries())
    it(`render as by Jinja2: ${template}`, () => {
      const theirs = answers[expressions.length + i]!;
      const ours = run({ kind: 'render', source: template, maxOutput: 1e6 }, context);
      if ('error' in theirs) refused(ours, theirs.error);
      else expect(ours).to.deep.equal({ value: theirs.text });
    });

  it('tell a name without a value from what is wrong otherwise', () => {
    const kind = (source: string) => {
      const outcome = run({ kind: 'evaluate', source, maxOutput: 1e6 }, context);
      return 'error' in outcome ? outcome.error.kind : 'none';
    };
    expect(['missing', 'event.zz.y', 'missing == 1', 'not missing'].map(kind)).to.deep.equal(
      Array(4).fill('undefined'),
    );
    expect(['1 +', 'a b', '{% if %}'].map(kind)).to.deep.equal(Array(3).fill('syntax'));
    expect(['1 / 0', '"a" + 1', 'text.boom()'].map(kind)).to.deep.equal(['error', 'error', 'undefined']);
  });
});
