import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { parseIdentity, type ProcessIdentity } from './process-identity.ts';
import { pythonArguments, interpreter } from './wrapper-python.ts';

const begin = 'import wrapper; wrapper.main(sys.argv[1:])';
const startTimeoutMs = 30_000;

export interface WrapperOptions {
  python: string;
  job: string;
  /** as wrapper.py explains them */
  options: string[];
  argv: string[];
  env: Record<string, string>;
}

/**
 * Starts the wrapper in a session of its own and leaves it alone: it outlives this process.
 * Resolves with its identity once it has started the engine.
 * @param standby a socket of one that stands by: it only has to be told
 */
export async function launchWrapper(job: WrapperOptions, standby?: Duplex): Promise<ProcessIdentity> {
  try {
    if (standby) return await tellStandby(job, standby);
  } catch (error) {
    // it was gone. Had it begun all the same, it would own the job, and the other one would start nothing
    if (!(error instanceof Silence)) throw failure(error as Error);
  }
  return startNew(job).catch((error: Error) => {
    throw failure(error);
  });
}

/** Nothing was heard in time: whether there is an engine is not known. */
export class LateReport extends Error {}

const failure = (cause: Error) => {
  const text = `The engine could not be started: ${cause.message}`;
  return cause instanceof LateReport ? new LateReport(text, { cause }) : new Error(text, { cause });
};

const argumentsOf = ({ job, options, argv }: WrapperOptions) => [job, ...options, '--', ...argv];

/** As standby.py reads it. */
function tellStandby(job: WrapperOptions, standby: Duplex): Promise<ProcessIdentity> {
  const given = argumentsOf(job);
  const environment = Object.entries(job.env).map(([name, value]) => `${name}=${value}`);
  const body = Buffer.from([given.length, ...given, ...environment].join('\0'));
  const reported = report(standby);
  standby.write(Buffer.concat([Buffer.from(`${body.length}\n`), body]));
  return reported;
}

function startNew(job: WrapperOptions): Promise<ProcessIdentity> {
  const child = spawn(interpreter(job.python), pythonArguments(begin, argumentsOf(job)), {
    cwd: '/',
    env: job.env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.unref();
  const failed = once(child, 'error').then(([error]) => {
    throw error;
  });
  // none where no descriptors are left
  return child.stderr ? Promise.race([report(child.stderr), failed]) : failed;
}

class Silence extends Error {}

/** What a wrapper says: who it is, or why there is no engine. */
function report(stream: Readable): Promise<ProcessIdentity> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessIdentity>();
  let said = '';
  const timer = setTimeout(() => stream.destroy(new LateReport('it did not report within 30 s')), startTimeoutMs);
  const silent = () => new Silence('it ended without a word');
  stream.on('data', (text: Buffer) => {
    said += text.toString();
    const identity =
      said.startsWith('started ') && said.endsWith('\n') ? parseIdentity(said.slice('started '.length)) : null;
    if (!identity) return;
    resolve(identity);
    stream.destroy();
  });
  stream.on('error', (error: NodeJS.ErrnoException) =>
    reject(['EPIPE', 'ECONNRESET'].includes(error.code ?? '') && !said ? silent() : error),
  );
  stream.on('end', () => stream.destroy());
  stream.on('close', () => {
    clearTimeout(timer);
    const last = said.trim().split('\n').at(-1);
    reject(last ? new Error(last) : silent());
  });
  return promise;
}
