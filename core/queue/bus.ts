import type { Knex } from 'knex';

/** Messages between the nodes over LISTEN/NOTIFY. They wake or point, they never carry data that matters. */
export interface BusMessages {
  /** something may be ready to start: the dispatcher looks */
  dispatch: Record<string, never>;
  /** a run changed status; after commit */
  status: {
    run: number;
    kind: string;
    status: string;
    seq: number;
    template: number | null;
    /** the run that launched it, and as which of its parts */
    parent?: number | null;
    part?: number | null;
    project?: number | null;
    inventory?: number | null;
    finished?: string | null;
    /** name of the instance group on whose account it runs */
    group?: string | null;
  };
  /** events `from`..`to` (counters, inclusive) of a run are stored; after the last one `final` is set */
  events: { run: number; kind: string; from: number; to: number; final?: boolean };
  /** a run on this node is to be canceled, or was assigned to it */
  node: { instance: number; run: number; what: 'start' | 'cancel' };
  /** an inventory is being deleted, or is gone; after commit */
  inventory: { inventory: number; status: 'pending_deletion' | 'deleted' };
  /** schedules were made, changed, removed or moved on; after commit */
  schedules: { schedules: number[] };
  /** a node stored or removed settings: read them again */
  settings: Record<string, never>;
  /** a plugin tells those who listen to an item of its group; small, the listener reads what it needs */
  plugin: { group: string; item: string | number; message: Record<string, unknown> };
  /** this process was cut off and messages may be lost: read again whatever you follow (never sent over the wire) */
  reconnected: Record<string, never>;
}

export type AnyMessage = { [C in keyof BusMessages]: [channel: C, message: BusMessages[C]] }[keyof BusMessages];

export interface Bus {
  on<C extends keyof BusMessages>(channel: C, listener: (message: BusMessages[C]) => void): () => void;
  /** Sent when the surrounding transaction commits; never when it rolls back. */
  notify<C extends keyof BusMessages>(trx: Knex, channel: C, message: BusMessages[C]): Promise<void>;
  /** Any number of messages in one statement. */
  notifyAll(trx: Knex, messages: readonly AnyMessage[]): Promise<void>;
  /** The arguments of pg_notify() for a message, for a statement that sends it itself. */
  parcel<C extends keyof BusMessages>(channel: C, message: BusMessages[C]): [channel: string, payload: string];
}
