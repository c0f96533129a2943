/** What may be done with a field: read and write, read only, set on create only, or never shown. */
export type FieldMode = 'rw' | 'ro' | 'create' | 'wo';

export type FieldType =
  | 'string'
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'datetime'
  | 'choice'
  | 'json'
  | 'jsonText'
  | 'ref'
  | 'list'
  | 'computed';

/** Types as clients know them from OPTIONS. */
export type ApiType =
  | 'string'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'datetime'
  | 'choice'
  | 'id'
  | 'json'
  | 'object'
  | 'list'
  | 'list_of_ids'
  | 'field';

export interface FieldOptions {
  mode?: FieldMode;
  /** Must be present on create and on PUT. */
  required?: boolean;
  /** Value of an omitted optional field on create and PUT; the type's own zero value when unset. */
  default?: unknown;
  /** null is a value of its own (otherwise null means '' or false, see conventions §5). */
  nullable?: boolean;
  /** Column or SQL expression when it is not the field's name; `{alias}` stands for the table's alias. */
  column?: string;
  sql?: string;
  /** Usable in filters and ordering; default true for stored fields. */
  filterable?: boolean;
  /**
   * Never shown, never filterable (403): passwords, inputs. In plugins' own resources and extensions a text field with
   * it is stored encrypted, shown as `$encrypted$` (`mode: 'wo'`: not at all), kept when that is sent back, and read by
   * `api.secrets.open`; its column is of type text.
   */
  secret?: boolean;
  /** Only in the detail representation. */
  detailOnly?: boolean;
  /** Some answers leave it out (`present` removes it); the API description promises every other field in every answer. */
  optional?: boolean;
  /** Order by this SQL instead of the field's own (`{alias}` as above). */
  orderSql?: string;
  label?: string;
  help?: string;
  /** What OPTIONS and the API description call its type, where that does not follow from the field's own. */
  apiType?: ApiType;
  min?: number;
  max?: number;
}

export interface Field extends FieldOptions {
  type: FieldType;
  mode: FieldMode;
  /** choice: the legal values with their labels. */
  choices?: readonly (readonly [string | number, string])[];
  /** ref: the type name of the target resource (`organization`). */
  target?: string;
  /** choice: values are integers (verbosity). */
  numeric?: boolean;
  /** jsonText: what else is wrong with the text, which is a mapping already; runs before the write's transaction. */
  check?: (text: string) => string | undefined | Promise<string | undefined>;
  /** computed: the value from a row that `needs` put together; runs once per row, must not query. */
  compute?: (row: any, call: any) => unknown;
}

const make = (type: FieldType, options: FieldOptions & Partial<Field> = {}): Field => ({
  mode: 'rw',
  ...options,
  type,
});

/** Builders for the fields of a resource. Bounds: `max` is a length for texts, a value for numbers. */
export const field = {
  string: (o: FieldOptions = {}) => make('string', { max: 512, ...o }),
  /** Text without a length limit of its own; kept exactly as sent but for outer blanks. */
  text: (o: FieldOptions = {}) => make('text', o),
  integer: (o: FieldOptions = {}) => make('integer', o),
  number: (o: FieldOptions = {}) => make('number', o),
  /** Shown as a string, as clients expect of decimals. */
  decimal: (o: FieldOptions = {}) => make('decimal', o),
  boolean: (o: FieldOptions = {}) => make('boolean', o),
  datetime: (o: FieldOptions = {}) => make('datetime', o),
  /** `choices`: values, or [value, label] pairs; integer values make an integer choice. */
  choice: (choices: readonly (string | number | readonly [string | number, string])[], o: FieldOptions = {}) => {
    const pairs = choices.map((c) => (Array.isArray(c) ? c : [c, String(c)]) as readonly [string | number, string]);
    return make('choice', { ...o, choices: pairs, numeric: pairs.every(([value]) => typeof value === 'number') });
  },
  /** A JSON object stored as jsonb. */
  json: (o: FieldOptions = {}) => make('json', o),
  /** A string holding a JSON or YAML mapping (`variables`, `extra_vars`); never re-serialised. */
  jsonText: (o: FieldOptions & { check?: Field['check'] } = {}) => make('jsonText', o),
  /** A link to another resource: the API shows the id under the field's name, the column is `<name>_id`. */
  ref: (target: string, o: FieldOptions = {}) => make('ref', { nullable: true, ...o, target }),
  /** A JSON list stored as jsonb. */
  list: (o: FieldOptions = {}) => make('list', o),
  /** Derived from the row (`compute`) or by SQL (`sql`); read only. */
  computed: (o: FieldOptions & { compute?: Field['compute'] } = {}) =>
    make('computed', { filterable: false, ...o, mode: 'ro' }),
};
