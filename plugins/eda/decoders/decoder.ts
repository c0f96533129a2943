import { point, z } from '@tapline/plugin-sdk';

/** A request to the receiver. */
export interface Delivery {
  /** by its real name in lower case, also where it came under one that stands for it */
  header(name: string): string | undefined;
  /** what signatures are made over */
  bytes: Buffer;
  now: Date;
}

/** How the senders of one source type sign, name and identify their events. */
export interface Decoder {
  /** `source_type` of its rules */
  source_type: string;
  /** for people */
  label: string;
  /** The delivery was signed with this key, or carries it. In the same time whatever is wrong with it. */
  isSigned(delivery: Delivery, key: string): boolean;
  /** `push`, `alert` …; '' where it is not told */
  eventType(delivery: Delivery, payload: unknown): string;
  /** the sender's own name of the event, so that one sent twice is known; '' where it has none */
  eventGuid(delivery: Delivery, payload: unknown): string;
}

const method = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function');

/** Where any plugin may put a further source of events. */
export const eventDecoder = point<Decoder>(
  'event.decoder',
  z.looseObject({
    source_type: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be a lower-case name with _'),
    label: z.string().min(1),
    isSigned: method<Decoder['isSigned']>(),
    eventType: method<Decoder['eventType']>(),
    eventGuid: method<Decoder['eventGuid']>(),
  }),
);
