import type { PluginApi } from '../api.ts';
import type { LaunchRequest } from '../services.ts';

type Names = 'db' | 'log' | 'launch' | 'notify' | 'audit' | 'sandbox' | 'http' | 'secrets' | 'clock' | 'tracer';
export type FakeServices = Partial<Pick<PluginApi, Names>>;

/** What the plugin asked its services for, in order. */
export interface Done {
  enqueued: { task: string; payload: unknown }[];
  published: { group: string; item: string | number; message: Record<string, unknown> }[];
  launched: LaunchRequest[];
  notified: { kind: string; configuration: Record<string, unknown>; subject: string; body: string }[];
  audited: { action: string; changes?: Record<string, unknown> }[];
  requested: { url: string; method: string; body?: string | Buffer }[];
  logged: { level: 'debug' | 'info' | 'warn' | 'error'; fields: object; text: string }[];
}

const absent = (what: string): any =>
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
    audited: [],
    requested: [],
    logged: [],
  };
  const say = (level: Done['logged'][number]['level']) => (fields: object, text: string) =>
    void done.logged.push({ level, fields, text });
  const services: Required<FakeServices> = {
    db: absent('db'),
    sandbox: absent('sandbox'),
    log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    launch: { start: async (request) => ({ id: done.launched.push(request), status: 'pending' }) },
    notify: { send: async (message) => void done.notified.push(message) },
    audit: { record: async (entry) => void done.audited.push(entry) },
    http: {
      async request(url, { method = 'GET', body } = {}) {
        done.requested.push({ url, method, body });
        return { status: 200, headers: {}, body: Buffer.from('') };
      },
    },
    secrets: { open: (stored) => stored.replace(/^sealed:/, ''), seal: (plain) => plain && `sealed:${plain}` },
    clock: { now: () => new Date() },
    tracer: { span: async (_name, work) => work({ set: () => undefined }) },
    ...given,
  };
  return { services, done };
}
