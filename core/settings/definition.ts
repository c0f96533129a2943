/** What a value is; `map` is an object of texts, `object` any object or list. */
export type SettingType =
  | 'integer'
  | 'boolean'
  | 'string'
  | 'url'
  | 'list'
  | 'choice'
  | 'map'
  | 'object'
  | 'image'
  | 'timestamp';

/** A setting can change while the service runs; what cannot stands in config/. */
export interface SettingDefinition {
  /** slug of its page; those of core stand in categories.ts */
  category: string;
  type: SettingType;
  default: unknown;
  help: string;
  /** what forms call it, where the key does not tell */
  label?: string;
  choices?: readonly string[];
  min?: number;
  max?: number;
  /** null is a value of its own */
  nullable?: boolean;
  /** stored under the key ring and shown as `$encrypted$` */
  secret?: boolean;
  unit?: string;
  /** what is wrong with a value of the right type; undefined when nothing is */
  check?: (value: any) => string | undefined;
}

/** For settings that clients read and write although nothing here follows them: the form must not promise more. */
export const noEffect = 'Accepted for AWX clients; has no effect.';
