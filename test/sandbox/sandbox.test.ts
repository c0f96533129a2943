import { readFileSync } from 'node:fs';
import { isUnavailable, SandboxError, saysWhatIsWrong } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import { judged } from '../support/judged.ts';

describe('the sandbox', () => {
  const warnings: string[] = [];
  const sandbox = createSandbox({
    log: { warn: (_: object, text?: string) => void warnings.push(String(text)) } as never,
  });
  after(() => sandbox.stop());

  const failure = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
    } catch (error) {
      expect(error).to.be.instanceOf(SandboxError);
      return (error as SandboxError).kind;
    }
    return 'none';
  };

  it('evaluates an expression with its context', async () => {
    expect(await sandbox.evaluate('event.ref == "main" and n > 1', { event: { ref: 'main' }, n: 2 })).to.equal(true);
    expect(await sandbox.evaluate('names|map("upper")|list', { names: ['a'] })).to.deep.equal(['A']);
  });

  it('renders a template', async () => {
    expect(await sandbox.render('{% for x in list %}{{ x }};{% endfor %}', { list: [1, 'b'] })).to.equal('1;b;');
  });

  it('answers many at once, each with its own', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => sandbox.evaluate('i * 2', { i })));
    expect(answers).to.deep.equal(Array.from({ length: 60 }, (_, i) => i * 2));
  });

  it('evaluates many in one question, each with its own answer', async () => {
    const contexts = [{ n: 1 }, { n: 2 }];
    const expressions = ['n + 1', 'missing', 'n ==', 'n }} {{ n'].flatMap((expression) =>
      contexts.map((_, context) => ({ expression, context })),
    );
    const answers = await sandbox.evaluateEach({ expressions, contexts });
    expect(answers.slice(0, 2)).to.deep.equal([{ value: 2 }, { value: 3 }]);
    const kinds = answers.slice(2).map((answer) => 'error' in answer && answer.error.kind);
    expect(kinds).to.deep.equal(['undefined', 'undefined', 'syntax', 'syntax', 'syntax', 'syntax']);
    const huge = { expressions: [{ expression: 'text', context: 0 }], contexts: [{ text: 'x'.repeat(300_000) }] };
    expect(await failure(sandbox.evaluateEach(huge))).to.equal('output');
  });

  it('keeps nothing from one to the next', async () => {
    await sandbox.render('{% set leaked = 1 %}', {});
    expect(await sandbox.evaluate('leaked is defined', {})).to.equal(false);
  });

  for (const [what, expression] of Object.entries({
    'an endless loop': '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
    'more memory than there is':
      '{% set a = [0] * 100000 %}{% for b in range(100000) %}{% set a = a + a %}{% endfor %}',
    'a text without end': '{% for a in range(100000) %}{{ "x" * 100000 }}{% endfor %}',
  }))
    it(`stops ${what} and goes on`, async () => {
      expect(await failure(judged(() => sandbox.render(expression, {}, { timeoutMs: 500 })))).to.be.oneOf([
        'timeout',
        'memory',
        'error',
      ]);
      expect(await sandbox.evaluate('1 + 1', {})).to.equal(2);
    });

  it('tells what is wrong', async () => {
    expect(await failure(sandbox.evaluate('1 +', {}))).to.equal('syntax');
    expect(await failure(sandbox.evaluate('missing', {}))).to.equal('undefined');
    expect(await failure(sandbox.evaluate('1 / 0', {}))).to.equal('error');
    expect(await failure(sandbox.evaluate('"x" * 90000', {}, { maxOutput: 1000 }))).to.equal('output');
    expect(await failure(sandbox.evaluate('('.repeat(60_000), {}))).to.equal('syntax');
    expect(await failure(sandbox.evaluate('x'.repeat(70_000), {}))).to.equal('syntax');
    expect(await failure(sandbox.evaluate('1', { big: 'x'.repeat(5_000_000) }))).to.equal('memory');
  });

  it('gives nothing of its process away', async () => {
    for (const expression of ['process', 'globalThis', 'require', 'this', '"".constructor', 'range.constructor'])
      expect(await failure(sandbox.evaluate(expression, {})), expression).to.be.oneOf(['undefined', 'error']);
  });

  it('evaluates as somebody whom nothing belongs to, where the service is root', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const own = createSandbox({ log: { warn: () => undefined } as never, uid: 64_000 });
    expect(await own.evaluate('1 + 1', {})).to.equal(2);
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
    const statuses = children.map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'));
    const status = statuses.find((text) => /^Uid:\t64000\t/m.test(text))!;
    expect(status).to.match(/^Uid:\t64000\t64000\t64000\t64000$/m);
    expect(status).to.match(/^Gid:\t64000\t64000\t64000\t64000$/m);
    expect(status).to.match(/^Groups:\s*$/m);
    expect(status).to.match(/^CapEff:\t0+$/m);
    await own.stop();
  });

  describe('tells that nobody could be asked from what is wrong with a text', () => {
    const quiet = () => createSandbox({ log: { warn: () => undefined } as never });
    const errorOf = (work: Promise<unknown>) =>
      work.then(
        () => expect.fail('it was evaluated'),
        (error: Error) => error,
      );
    const pids = () =>
      new Set(readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number));
    /** One whose process runs, and the id of that. */
    async function started() {
      const before = pids();
      const own = quiet();
      await own.evaluate('1', {});
      return { own, pid: [...pids()].find((id) => !before.has(id))! };
    }
    const endless = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';

    it('when it stops', async () => {
      const own = quiet();
      const asked = [own.evaluate('1', {}), own.evaluate('2', {})].map(errorOf);
      await own.stop();
      for (const error of [...(await Promise.all(asked)), await errorOf(own.evaluate('3', {}))])
        expect(error).to.satisfy(isUnavailable).and.not.to.satisfy(saysWhatIsWrong);
    });

    it('when too much waits', async () => {
      const own = quiet();
      const asked = Array.from({ length: 1002 }, () => own.evaluate('1', {}).catch((error: unknown) => error));
      expect(await asked.pop()).to.satisfy(isUnavailable);
      expect(await asked[0]).to.equal(1);
      await own.stop();
      await Promise.all(asked);
    });

    it('when its process is ended from outside', async () => {
      const { own, pid } = await started();
      const asked = errorOf(own.render(endless, {}, { timeoutMs: 5000 }));
      process.kill(pid, 'SIGKILL');
      expect(await asked).to.satisfy(isUnavailable);
      expect(await own.evaluate('1 + 1', {})).to.equal(2);
      await own.stop();
    });

    it('when its process is given no time', async () => {
      const { own, pid } = await started();
      process.kill(pid, 'SIGSTOP');
      expect(await errorOf(own.evaluate('1', {}, { timeoutMs: 100 }))).to.satisfy(isUnavailable);
      await own.stop();
    });

    it('and when the text is wrong', async () => {
      const wrong = [
        sandbox.evaluate('1 +', {}),
        sandbox.evaluate('missing', {}),
        sandbox.evaluate('1 / 0', {}),
        judged(() => sandbox.render(endless, {}, { timeoutMs: 300 })),
        sandbox.evaluate('1', { big: 'x'.repeat(5_000_000) }),
      ];
      for (const error of await Promise.all(wrong.map(errorOf)))
        expect(error).to.satisfy(saysWhatIsWrong).and.not.to.satisfy(isUnavailable);
      const others = [new Error('memory'), undefined, { kind: 'unavailable' }];
      for (const error of others) expect(isUnavailable(error) || saysWhatIsWrong(error)).to.equal(false);
    });
  });
});
