import type { Knex } from 'knex';
import type { Log } from '../observe/log.ts';
import type { Bus } from '../queue/bus.ts';
import type { RunKinds } from '../runs/kinds.ts';
import type { LaunchDoor } from '../runs/start.ts';
import type { Settings } from '../settings/settings.ts';

export interface ContentsDeps {
  config: { dataDir: string; nodeName: string };
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  settings: Settings;
  launch: LaunchDoor;
  log: Log;
}

/** The launch whose taps ask, or who asks about a project: for what is made in vain once that is over. */
export interface Asking {
  /** 0: there is none */
  run: number;
  /** where copies for it go */
  folder: string;
  signal: AbortSignal;
  /** told of all that is being made, so that it is waited for before it is removed */
  noted<T>(made: Promise<T>): Promise<T>;
}
