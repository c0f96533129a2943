import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createAnsiHtml, stripAnsi } from '../../core/events/ansi.ts';
import { childrenSummary } from '../../core/events/children-summary.ts';
import { createMasker } from '../../core/runner/ingest/mask.ts';
import { parseLine } from '../../core/runner/ingest/row.ts';
import { explainFailure } from '../../core/runner/explain.ts';
import { updateExplains } from '../../core/run-kinds/project-update/explains.ts';
import { contentsOfFolder } from '../../core/scm/contents.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Minutes before it was bounded, milliseconds now; a busy machine may take a hundred times as long. */
const within = async (work: () => unknown) => {
  const begin = process.cpuUsage().user;
  await work();
  expect((process.cpuUsage().user - begin) / 1000).to.be.below(3000);
};

describe('texts that playbooks and hosts write, made to take long', () => {
  const exited = { state: 'exited', exit: { reason: 'exit', rc: 2, signal: null, detail: '' } } as any;
  const long = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);

  for (const piece of ['/python', "/python'", 'interpreter ', 'Missing a', 'Permission denied ', 'aaaa', ' ', '\n'])
    it(`are explained where 50 results repeat ${JSON.stringify(piece)}`, async () => {
      const text = long(piece, 2000);
      const res = { msg: text, module_stderr: text, module_stdout: text, stderr: text, exception: text };
      const events = Array.from({ length: 50 }, () => ({
        event: 'runner_on_failed',
        event_data: { host: 'web', res },
      }));
      await within(() => explainFailure({ status: exited, events, text: '' }));
    });

  for (const piece of [
    'the playbook: ',
    'YAML parsing failed',
    'YAML parsing failed\nOrigin: ',
    '[ERROR]: x\n',
    '[ERROR]: x\nOrigin: ',
    'ERROR! ',
    "appears to be in '",
    'Unable to parse ',
    'fatal: x\n',
    '\n',
  ])
    it(`are explained where the output repeats ${JSON.stringify(piece)}`, async () => {
      const text = long(piece, 32_768);
      await within(() => explainFailure({ status: exited, events: [], text, rules: updateExplains }));
      const ends = `${text}\nThe source could not be fetched.\nThe requirements of the project could not be installed.`;
      await within(() => explainFailure({ status: exited, events: [], text: ends, rules: updateExplains }));
    });

  it('become HTML, with a megabyte of colours', async () => {
    const codes = Array.from({ length: 170_000 }, (_, index) => index).join(';');
    const many = Array.from({ length: 100_000 }, (_, index) => `\x1b[${index}mx`).join('');
    for (const text of [
      `\x1b[${codes}mx`,
      many,
      long('\x1b]', 1 << 20),
      long('\x1b[', 1 << 20),
      long('\x1b[1;3', 1 << 20),
    ]) {
      await within(() => createAnsiHtml()(text));
      await within(() => stripAnsi(text));
    }
    expect(createAnsiHtml()('\x1b[31;1mred\x1b[0m plain \x1b[38;5;196mbright\x1b[500mx')).to.equal(
      '<span class="ansi31 ansi1">red</span> plain <span class="ansi38-5-196">bright</span><span class="ansi38-5-196">x</span>',
    );
  });

  it('are no tree of events where they pretend to be a deep one', async () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => ({
      counter: index + 1,
      event: 'runner_on_ok',
      uuid: `u${index}`,
      parent_uuid: index ? `u${index - 1}` : '',
    }));
    await within(() => expect(childrenSummary(chain)).to.include({ is_tree: false }));
    const wide = Array.from({ length: 100_001 }, () => ({ ...chain[0]!, parent_uuid: '' }));
    await within(() => expect(childrenSummary(wide)).to.include({ is_tree: false }));
  });

  it('lose data that nests deeper than could be shown, and nothing else', () => {
    const options = { masker: createMasker([]), maxResult: 1 << 20, hideUrls: false };
    const dataOf = (res: string) =>
      parseLine(`{"event":"runner_on_ok","event_data":{"host":"web","res":${res}}}`, options)!.row.event_data;
    expect(dataOf('['.repeat(4500) + ']'.repeat(4500))).to.equal('{}');
    const brackets = JSON.stringify({ msg: `${'[{"'.repeat(2000)}\\"` });
    expect(JSON.parse(dataOf(brackets)).res).to.deep.equal(JSON.parse(brackets));
  });

  it('are looked through for plays', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-plays-'));
    try {
      for (const [name, piece] of [
        ['lines', '\n'],
        ['blanks', ' '],
        ['tabs', '\n\t'],
        ['dashes', '\n- '],
      ])
        writeFileSync(join(folder, `${name}.yml`), `---${long(piece!, 262_000)}x: 1`);
      writeFileSync(join(folder, 'play.yml'), `---\n\n-   hosts : all\n`);
      await within(async () => expect((await contentsOfFolder(folder)).playbooks).to.deep.equal(['play.yml']));
    } finally {
      removeFolder(folder);
    }
  });
});
