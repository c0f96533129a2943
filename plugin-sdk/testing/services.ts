import type { PluginApi } from '../api.ts';
import type {
  ContentService,
  LaunchRequest,
  NotificationRequest,
  ProgramService,
  RecurrenceService,
  SandboxService,
} from '../services.ts';

type Names =
  | 'db'
  | 'log'
  | 'launch'
  | 'runs'
  | 'notify'
  | 'audit'
  | 'sandbox'
  | 'http'
  | 'programs'
  | 'contents'
  | 'inventories'
  | 'secrets'
  | 'recurrence'
  | 'clock'
  | 'tracer';
/** `db` may be as much of knex as the plugin uses. */
export type FakeServices = Partial<Omit<Pick<PluginApi, Names>, 'db'>> & { db?: object };

/** What the plugin asked its services for, in order. */
export interface Done {
  enqueued: { task: string; payload: unknown; afterSeconds?: number }[];
  published: { group: string; item: string | number; message: Record<string, unknown> }[];
  launched: LaunchRequest[];
  notified: { kind: string; configuration: Record<string, unknown>; subject: string; body: string }[];
  /** by notification templates; the ids are their places here, from 1 */
  delivered: NotificationRequest[];
  audited: { action: string; changes?: Record<string, unknown> }[];
  requested: { url: string; method: string; body?: string | Buffer }[];
  logged: { level: 'debug' | 'info' | 'warn' | 'error'; fields: object; text: string }[];
}

const absent = (what: string): object =>
  new Proxy(() => undefined, {
    get: () => refuse(what),
    apply: () => refuse(what),
  });

function refuse(what: string): never {
  throw new Error(`there is no ${what} in this test: give one, recordPlugin(plugin, { services: { ${what} } })`);
}

/** Services that note what they are asked; the database and the sandbox must be given by the test that needs them. */
export function createServices(given: FakeServices = {}): { services: Required<FakeServices>; done: Done } {
  const done: Done = {
    enqueued: [],
    published: [],
    launched: [],
    notified: [],
    delivered: [],
    audited: [],
    requested: [],
    logged: [],
  };
  const say = (level: Done['logged'][number]['level']) => (fields: object, text: string) =>
    void done.logged.push({ level, fields, text });
  const services: Required<FakeServices> = {
    db: absent('db'),
    sandbox: absent('sandbox') as SandboxService,
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    launch: {
      launched: async () => undefined,
      start: async (request) => ({ id: done.launched.push(request), kind: 'job', status: 'pending' }),
      check: async () => ({}),
    },
    runs: { cancel: async () => true, end: async () => true },
    notify: {
      send: async (message) => void done.notified.push(message),
      deliver: async (message) => done.delivered.push(message),
    },
    audit: {
      record: async (entry) => void done.audited.push(entry),
      recordAll: async (_trx, entries) => void done.audited.push(...entries),
    },
    http: {
      async request(url, { method = 'GET', body } = {}) {
        done.requested.push({ url, method, body });
        return { status: 200, headers: {}, body: Buffer.from('') };
      },
    },
    programs: absent('programs') as ProgramService,
    contents: absent('contents') as ContentService,
    inventories: { holding: async () => [] },
    secrets: { open: (stored) => stored.replace(/^sealed:/, ''), seal: (plain) => plain && `sealed:${plain}` },
    recurrence: absent('recurrence') as RecurrenceService,
    clock: { now: () => new Date() },
    tracer: { span: async (_name, work) => work({ set: () => undefined }) },
    ...given,
  };
  return { services, done };
}
