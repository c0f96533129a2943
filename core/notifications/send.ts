import {
  type ConnectOptions,
  type Delivered,
  DeliveryError,
  type HttpService,
  inTime,
  type NotificationKind,
  type NotificationTools,
  OutboundError,
} from '@tapline/plugin-sdk';
import type { Socket } from 'node:net';
import { connectOut } from '../outbound/connect.ts';
import type { Settings } from '../settings/settings.ts';
import { type Configuration, secretTexts } from './configuration.ts';
import { masking } from './records.ts';

export interface SendDeps {
  outbound: HttpService;
  settings: Pick<Settings, 'get'>;
}

/** Whatever the kind does: a target that drips keeps its place no longer. */
const longestMs = 150_000;
const graceMs = 1000;

interface Sending {
  kind: NotificationKind;
  configuration: Configuration;
  texts: { subject: string; body: string };
  id: number | null;
  /** of a service that stops */
  signal?: AbortSignal;
}

/** Never throws: what a plugin throws may be anything. */
export async function trySend(
  deps: SendDeps,
  { kind, configuration, texts, id, signal }: Sending,
): Promise<{ delivered?: Delivered; error?: Error; asked: string[] }> {
  const asked: string[] = [];
  const late = (stopped: boolean) =>
    new DeliveryError(stopped ? 'The service stopped.' : `It was not done within ${longestMs / 1000} seconds.`);
  try {
    const delivered = await inTime(
      async (ending) => kind.send({ configuration, ...texts }, toolsFor(deps, { asked, id, signal: ending })),
      { ms: longestMs, late, signal, graceMs },
    );
    return { delivered: delivered ?? {}, asked };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)), asked };
  }
}

/** What goes out is recorded: by the origin of its address, since the rest of it may be a key. */
function toolsFor(
  { outbound, settings }: SendDeps,
  { asked, id, signal }: { asked: string[]; id: number | null; signal: AbortSignal },
): NotificationTools {
  const note = <T>(what: string, doing: Promise<T>): Promise<T> => {
    asked.push(what);
    return doing;
  };
  return {
    id,
    signal,
    http: {
      request: (url, { trusted: _never, ...options } = {}) =>
        note(`${options.method ?? 'GET'} ${originOf(url)}`, outbound.request(url, options)),
    },
    connect: (options: ConnectOptions): Promise<Socket> =>
      note(`${options.host}:${options.port}`, connectOut({ settings }, options)),
  };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : 'no address');

/** What is wrong with sending at once. @throws Error without secrets */
export async function sendNow(
  deps: SendDeps,
  kind: NotificationKind,
  { configuration, subject, body }: { configuration: Configuration; subject: string; body: string },
): Promise<void> {
  const { error } = await trySend(deps, { kind, configuration, texts: { subject, body }, id: null });
  if (!error) return;
  if (error instanceof OutboundError) throw error;
  throw new DeliveryError(masking(secretTexts(kind, configuration))(error.message), { final: isFinal(error) });
}

export const isFinal = (error: Error): boolean => error instanceof DeliveryError && error.final;
