import { z } from 'zod';
import { type HostTimelineSource, hostTimelineSchema } from './host-timeline.ts';
import type { NotificationKind } from './notifications.ts';
import type { HttpService, Tracer } from './services.ts';

/** An extension point: its name, and what may be put there. */
export interface Point<T extends object> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
}

/**
 * An extension point. Its owner opens it by `api.point` and reads it by `api.use`; others put something there by
 * `api.offer`, with this object or with the name alone.
 * @param name   dotted, like `notification.kind`
 * @param schema judges what is offered, at the start; what is used is the object that was offered, not a copy
 */
export const point = <T extends object>(name: string, schema: z.ZodType<T>): Point<T> =>
  Object.freeze({ name, schema });

export const pointName = (named: string | Point<object>): string => (typeof named === 'string' ? named : named?.name);

/** What is wrong with something that is offered there, each with its place; nothing when it fits. */
export function offerProblems({ schema }: Point<object>, implementation: unknown): string[] {
  const { error } = schema.safeParse(implementation);
  return error?.issues.map(({ path, message }) => (path.length ? `${path.join('.')}: ${message}` : message)) ?? [];
}

/** A way to log in besides name and password, as clients show it: a button that leads to `login_url`. */
export interface LoginProvider {
  /** as clients know it: `oidc`, `saml`, `github` … */
  name: string;
  /** a path of the service that begins the login */
  login_url: string;
  /** a path of the service to which whoever knows the user sends him back */
  complete_url: string;
  metadata_url?: string;
  /** on the button */
  label?: string;
}

const path = z.string().regex(/^\/[^/]/, 'must be a path of the service: /sso/login/oidc/');

/** An input of a credential, or a key of the metadata by which one secret of a source is named. */
export interface SourceField {
  id: string;
  label: string;
  /** default string */
  type?: 'string' | 'boolean';
  format?: 'ssh_private_key' | 'url';
  choices?: string[];
  help_text?: string;
  multiline?: boolean;
  secret?: boolean;
  default?: string | boolean;
}

/** What is asked of a source: the inputs of its credential and the metadata of one link, defaults filled in, '' where blank. */
export interface SecretLookup {
  text(id: string): string;
  flag(id: string): boolean;
  /** every request of one lookup shares its time */
  http: HttpService;
}

/**
 * A place where secrets are kept: becomes a credential type of the kind `external`, whose credentials give inputs of other
 * credentials their values when a run starts. Nothing of what it answers is stored.
 */
export interface CredentialSource {
  /** the type's stable name, `hashivault_kv` */
  namespace: string;
  name: string;
  description: string;
  fields: readonly SourceField[];
  metadata: readonly SourceField[];
  /** ids of fields and metadata */
  required: readonly string[];
  /** @throws Error with a text for people, that holds no secret */
  read(lookup: SecretLookup): Promise<string>;
}

const method = <F>() => z.custom<F>((value) => typeof value === 'function', 'must be a function');

const sourceField = z.strictObject({
  id: z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'must be a name'),
  label: z.string().min(1),
  type: z.enum(['string', 'boolean']).optional(),
  format: z.enum(['ssh_private_key', 'url']).optional(),
  choices: z.array(z.string()).optional(),
  help_text: z.string().optional(),
  multiline: z.boolean().optional(),
  secret: z.boolean().optional(),
  default: z.union([z.string(), z.boolean()]).optional(),
});

const notificationField = z.object({
  label: z.string().min(1),
  type: z.enum(['string', 'int', 'bool', 'list', 'password', 'object']),
  default: z.unknown().optional(),
  optional: z.literal(true).optional(),
  help: z.string().optional(),
});

/** The extension points of the service itself. */
export const points = {
  /** behind `api.notify` */
  notificationKind: point<NotificationKind>(
    'notification.kind',
    z.looseObject({
      kind: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be a lower-case name'),
      label: z.string().min(1).optional(),
      fields: z.record(z.string(), notificationField).optional(),
      recipients: z.string().optional(),
      parts: z.enum(['message', 'body', 'both']).optional(),
      bodies: z.enum(['text', 'data', 'json']).optional(),
      check: method<NonNullable<NotificationKind['check']>>().optional(),
      send: method<NotificationKind['send']>(),
    }),
  ),
  /** shown by `GET /api/v2/auth/`; the login itself is routes of the plugin's own */
  loginProvider: point<LoginProvider>(
    'login.provider',
    z.looseObject({
      name: z.string().regex(/^[a-z0-9:-]+$/, 'must be lower case letters, digits, - and :'),
      login_url: path,
      complete_url: path,
      metadata_url: path.optional(),
      label: z.string().optional(),
    }),
  ),
  /** inputs of credentials that are looked up elsewhere */
  credentialSource: point<CredentialSource>(
    'credential.source',
    z.looseObject({
      namespace: z.string().regex(/^[a-z][a-z0-9_]{1,62}$/, 'must be a lower-case name'),
      name: z.string().min(1),
      description: z.string(),
      fields: z.array(sourceField),
      metadata: z.array(sourceField),
      required: z.array(z.string()),
      read: method<CredentialSource['read']>(),
    }),
  ),
  /** what a host's timeline tells besides the runs that worked on it */
  hostTimeline: point<HostTimelineSource>('host.timeline', hostTimelineSchema),
  /** behind `api.tracer`, and around every tap; the first one that is offered */
  tracer: point<Tracer>('tracer', z.looseObject({ span: method<Tracer['span']>() })),
} as const;
