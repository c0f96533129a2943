import { join } from 'node:path';
import type { Client, Core, CoreOptions } from '@tapline/plugin-sdk/testing';
import { findEngine } from '../runner/engine-tool.ts';
import { basic, clientOf } from './client.ts';
import { makersOf, passwordOf } from './makers.ts';
import { adminPassword, startThrowAway, type ThrowAway } from './throw-away.ts';
import { root } from '../config/config.ts';

/** What `startCore` of the SDK is, in the checkout that it finds. */
export async function startCore({ plugins = [], env = {}, engine = false }: CoreOptions = {}): Promise<Core> {
  // told now, and not by the first job
  if (engine) findEngine({ root, engineCommand: env['ENGINE_COMMAND'] ?? '' });
  const all = { TAPLINE_PLUGINS: '', ...(engine ? {} : { ENGINE_COMMAND: noEngine }), ...env };
  const service = await startThrowAway(all, { plugins: [...plugins] });
  if (!engine) await service.database.db('instances').update({ enabled: false });
  return coreOf(service, engine);
}

/** Asking a real one for its version would cost more than all the rest of a start. */
const noEngine = join(root, 'no engine, as the test wants none');

function coreOf({ running, database, dataDir, stop }: ThrowAway, engine: boolean): Core {
  const { url } = running;
  const admin = clientOf(url, basic('admin', adminPassword));
  const made = new Set<string>();
  const as = (username: string | null): Client => {
    if (username === null) return clientOf(url, undefined);
    if (username === 'admin') return admin;
    if (made.has(username)) return clientOf(url, basic(username, passwordOf(username)));
    throw new Error(`there is no user ${username}: makeUser('${username}') first`);
  };
  return { url, db: database.db, admin, as, ...makersOf({ admin, dataDir, made, engine }), stop };
}
