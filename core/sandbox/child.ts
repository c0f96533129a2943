/** The process that evaluates what users wrote: started by sandbox.ts, killed by it when it does not answer. */
import ivm from 'isolated-vm';
import type { Outcome } from './isolate/main.ts';
import { isolateModules, parserScript } from './modules.ts';
import type { Answer, Question } from './protocol.ts';

const memoryMb = 64;
/** Contexts are freed late: an isolate is replaced before they fill it. */
const usesPerIsolate = 25;

const modules = isolateModules();
const snapshot = ivm.Isolate.createSnapshot([{ code: parserScript() }]);

// all that has to be read has been read
const uid = Number(process.argv[2] ?? 0);
if (uid) {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

interface Room {
  isolate: ivm.Isolate;
  compiled: Map<string, Promise<ivm.Module>>;
  uses: number;
}

let room: Room | undefined;

function enter(): Room {
  if (room && (room.uses >= usesPerIsolate || room.isolate.isDisposed)) leave();
  room ??= { isolate: new ivm.Isolate({ snapshot, memoryLimit: memoryMb }), compiled: new Map(), uses: 0 };
  room.uses += 1;
  return room;
}

function leave(): void {
  if (room && !room.isolate.isDisposed) room.isolate.dispose();
  room = undefined;
}

/** A context of its own for each question: nothing that one leaves behind is there for the next. */
async function answer({ id, context: given, timeoutMs, ...work }: Question): Promise<Answer> {
  const { isolate } = enter();
  const context = await isolate.createContext();
  try {
    const main = await linked(isolate, context);
    await main.evaluate({ timeout: timeoutMs });
    const create = await main.namespace.get('createRunner', { reference: true });
    await context.global.set('createRunner', create.derefInto());
    await context.global.set('work', JSON.stringify(work));
    await context.global.set('given', given);
    const text: string = await context.eval(
      'JSON.stringify(createRunner(globalThis.nunjucks)(JSON.parse(work), JSON.parse(given)))',
      { timeout: timeoutMs },
    );
    return { id, ...shown(text, work.maxOutput) };
  } finally {
    context.release();
  }
}

async function linked(isolate: ivm.Isolate, context: ivm.Context): Promise<ivm.Module> {
  const made = new Map<string, Promise<ivm.Module>>();
  const module = (name: string): Promise<ivm.Module> => {
    const source = modules.get(name);
    if (source === undefined) throw new Error(`there is no module ${name} in the isolate`);
    const found = made.get(name) ?? isolate.compileModule(source, { filename: name });
    made.set(name, found);
    return found;
  };
  const main = await module('./main.ts');
  await main.instantiate(context, (name) => module(name));
  return main;
}

function shown(text: string, maxOutput: number): Pick<Answer, 'value' | 'error'> {
  const outcome = JSON.parse(text) as Outcome;
  if ('error' in outcome) return { error: outcome.error };
  const value = JSON.stringify(outcome.value ?? null);
  if (value.length > maxOutput)
    return { error: { kind: 'output', message: `the answer is longer than ${maxOutput} characters` } };
  return { value };
}

/** What the isolate itself throws. It may be of no use afterwards. */
function failure(id: number, error: unknown): Answer {
  leave();
  const message = String((error as Error)?.message ?? error);
  if (/timed out/i.test(message)) return { id, error: { kind: 'timeout', message: 'it took too long' } };
  if (/memory|disposed/i.test(message)) return { id, error: { kind: 'memory', message: 'it needed too much memory' } };
  return { id, error: { kind: 'error', message } };
}

process.on('message', (question: Question) => {
  void answer(question)
    .catch((error: unknown) => failure(question.id, error))
    .then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
