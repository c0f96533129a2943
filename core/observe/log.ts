import { type Logger, pino } from 'pino';

export type Log = Logger;

const secretName =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*passw(or)?d.*|.*passphrase|.*secret.*|(.*_)?token|token_hash|inputs|extra_vars|ssh_key.*|private_key|.*_key_data|bindings|parameters)$/i;
const depthLimit = 6;

/** Redacts by the name of the key at any depth: a list of paths misses the first object that nests differently. */
export function scrub(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date || Buffer.isBuffer(value)) return value;
  if (depth > depthLimit) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => scrub(item, depth + 1));
  const clean: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value))
    clean[key] = secretName.test(key) ? '[redacted]' : scrub(item, depth + 1);
  return clean;
}

/** The driver's `detail` and `where` quote row values, so of an error only these go into the log. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return scrub(error);
  const { name, message, stack } = error;
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string };
  return {
    type: name,
    message,
    stack,
    code,
    table,
    constraint,
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}

interface LogDeps {
  config: { logLevel: string; nodeName: string };
  /** lines that tell nothing new are for whoever looks closely: they go to `debug` */
  hush?: (fields: Record<string, unknown>) => boolean;
}

const debugLevel = 20;
const fatalLevel = 60;

/** JSON lines on standard error; standard output is for what a person is to read. */
export function createLog({ config, hush }: LogDeps): Log {
  return pino(
    {
      level: config.logLevel,
      base: { node: config.nodeName, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method, level) {
          const [fields] = args as unknown[];
          const loud = level > debugLevel && level < fatalLevel;
          if (loud && hush && typeof fields === 'object' && fields !== null && hush(fields as Record<string, unknown>))
            this.debug(...(args as Parameters<Log['debug']>));
          else method.apply(this, args);
        },
      },
      serializers: { err: describeError, error: describeError },
      formatters: {
        level: (label) => ({ level: label }),
        log: (object) => {
          const { err, error, ...rest } = object;
          return {
            ...(scrub(rest) as object),
            ...(err === undefined ? {} : { err }),
            ...(error === undefined ? {} : { error }),
          };
        },
      },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
