import type { Knex } from 'knex';

/** Messages between the nodes over LISTEN/NOTIFY. They wake or point, they never carry data that matters. */
export interface BusMessages {
  /** something may be ready to start: the dispatcher looks */
  dispatch: { run?: number };
  /** a run changed status; after commit */
  status: {
    run: number;
    kind: string;
    status: string;
    seq: number;
    template: number | null;
    project?: number | null;
    inventory?: number | null;
    finished?: string | null;
  };
  /** events `from`..`to` (counters, inclusive) of a run are stored; after the last one `final` is set */
  events: { run: number; kind: string; from: number; to: number; final?: boolean };
  /** a run on this node is to be canceled, or was assigned to it */
  node: { instance: number; run: number; what: 'start' | 'cancel' };
  /** a node stored or removed settings: read them again */
  settings: Record<string, never>;
  /** a plugin tells those who listen to an item of its group; small, the listener reads what it needs */
  plugin: { group: string; item: string | number; message: Record<string, unknown> };
  /** this process was cut off and messages may be lost: read again whatever you follow (never sent over the wire) */
  reconnected: Record<string, never>;
}

export interface Bus {
  on<C extends keyof BusMessages>(channel: C, listener: (message: BusMessages[C]) => void): () => void;
  /** Sent when the surrounding transaction commits; never when it rolls back. */
  notify<C extends keyof BusMessages>(trx: Knex, channel: C, message: BusMessages[C]): Promise<void>;
  /** The arguments of pg_notify() for a message, for a statement that sends it itself. */
  parcel<C extends keyof BusMessages>(channel: C, message: BusMessages[C]): [channel: string, payload: string];
}
