import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ConnectOptions, OutboundError } from '@tapline/plugin-sdk';
import { assertReachable, bare, judgedLookup } from './addresses.ts';

interface Deps {
  settings: { get(key: 'OUTBOUND_ALLOWED_NETWORKS'): readonly string[] };
}

const defaultTimeoutMs = 10_000;

/**
 * A connection for protocols other than HTTP, to a host that a user gave: its address is judged as those of requests are,
 * before anything is sent to it and again once it stands.
 * @throws OutboundError
 */
export async function connectOut({ settings }: Deps, options: ConnectOptions): Promise<Socket> {
  const { port, tls = false, verifyTls = true, timeoutMs = defaultTimeoutMs } = options;
  const host = bare(options.host.trim());
  const allowed = () => settings.get('OUTBOUND_ALLOWED_NETWORKS');
  if (!host || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new OutboundError(`"${host.slice(0, 200)}" and ${port} are no host and port.`);
  if (isIP(host)) assertReachable(host, host, allowed());
  const target = { host, port, lookup: judgedLookup(allowed) };
  const name = isIP(host) ? {} : { servername: host };
  const socket = tls ? connectTls({ ...target, ...name, rejectUnauthorized: verifyTls }) : connectPlain(target);
  try {
    await established(socket, tls ? 'secureConnect' : 'connect', timeoutMs);
    assertReachable(host, socket.remoteAddress ?? '', allowed());
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof OutboundError) throw error;
    throw new OutboundError(`${host}:${port} could not be reached: ${(error as Error).message}`, { cause: error });
  }
}

function established(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it did not answer in time')), timeoutMs);
    socket.once(event, () => {
      clearTimeout(timer);
      resolve();
    });
    // stays: where the socket fails before its taker listens, nothing else would catch it
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
