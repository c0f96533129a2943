import type { Call, Row, Rule } from './resource.ts';

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
  /** Must be present on create and on PUT; `create`: a PUT without it keeps what is there. */
  required?: boolean | 'create';
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
   * `api.secrets.open`; its column is of type text. OPTIONS says `secret: true` of such a text, so that forms hide what is typed.
   */
  secret?: boolean;
  /** a secret text of one of core's own resources that is stored as those of plugins are */
  sealed?: boolean;
  /** It may be sent, but OPTIONS does not offer it: clients would take it for the link of the same name. */
  unoffered?: boolean;
  /** Only in the detail representation. */
  detailOnly?: boolean;
  /** Lists leave a stored value of more than 64 kB out ('' or {}): what many rows may hold each must not make a page unreadable. */
  shortInLists?: boolean;
  /** Some answers leave it out (`present` removes it); the API description promises every other field in every answer. */
  optional?: boolean;
  /**
   * choice: the values stand in ascending order, as severities do. Lists are ordered by that, and `__gt`, `__gte`, `__lt` and `__lte`
   * compare by it (400 for a value that is none of them); else texts go by the alphabet.
   */
  ranked?: boolean;
  /** Order by this SQL instead of the field's own (`{alias}` as above). */
  orderSql?: string;
  /** `?search=` looks at this SQL instead of the field's own; filters do not. */
  searchSql?: string;
  /**
   * Who may read it, where that is fewer than see the row. Answers for anybody else lack it, with its link and summary; only who
   * may read it on every row filters and orders by it (403), and nobody searches in it. The activity stream says `hidden`.
   */
  read?: Rule;
  /**
   * Who may write it, where that is fewer than may change the row; without it who may read it. The row form is asked about the row
   * as stored, or about the input where it is made. Anybody else gets 403 for another value than is there, and sees it as read only.
   */
  write?: Rule;
  /** json, in one of core's own resources: a JSON or YAML text of it may be sent as well, which `validate` reads. */
  orText?: boolean;
  /** json that is sent and not stored: a list is taken as well. */
  orList?: boolean;
  /** What OPTIONS offers as values, where that can change while the service runs; who takes the value checks it. */
  offers?: () => readonly string[];
  /** more that OPTIONS says of it, where that can change with what plugins bring */
  described?: () => Readonly<Record<string, unknown>>;
  label?: string;
  help?: string;
  /** What OPTIONS and the API description call its type, where that does not follow from the field's own. */
  apiType?: ApiType;
  min?: number;
  max?: number;
}

/** `Value`: of its column in a row; `Column`: that column, where `{}` stands for the field's name and never for none. */
export interface Field<Value = unknown, Column extends string = string> extends FieldOptions {
  type: FieldType;
  mode: FieldMode;
  /** choice: the legal values with their labels. */
  choices?: readonly (readonly [string | number, string])[];
  /** ref: the type name of the target resource (`organization`). */
  target?: string;
  /** choice: values are integers (verbosity). */
  numeric?: boolean;
  /** jsonText: the engine's `!vault` and `!unsafe` may stand in its YAML. */
  engineTags?: boolean;
  /** computed: the value from a row that `needs` put together; runs once per row, must not query. */
  compute?(row: Row, call: Call): unknown;
  /** never there: it carries the types */
  readonly inRow?: { value: Value; column: Column };
}

type OrNull<O, Value, Otherwise = Value> = O extends { nullable: true }
  ? Value | null
  : O extends { nullable: false }
    ? Value
    : Otherwise;
type ColumnOf<O, Otherwise extends string> = O extends { column: infer Column extends string } ? Column : Otherwise;
type Stored<O, Value, Column extends string = '{}'> = Field<OrNull<O, Value>, ColumnOf<O, Column>>;
type ChoiceValue<Choice> = Choice extends readonly [infer Value, string] ? Value : Choice;

type ColumnName<Name extends string, F> =
  F extends Field<unknown, infer Column> ? (Column extends `{}${infer Rest}` ? `${Name}${Rest}` : Column) : never;

/** What a row has by its fields: columns, with the types of their values. */
export type RowOf<Fields> = Row & {
  [Name in keyof Fields & string as ColumnName<Name, Fields[Name]>]: Fields[Name] extends Field<infer Value>
    ? Value
    : never;
};

// what a column holds is said by the builder, not by its options
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
const make = <F extends Field>(type: FieldType, options: FieldOptions & Partial<Field> = {}): F =>
  ({ mode: 'rw', ...options, type }) as F;

/** Builders for the fields of a resource. Bounds: `max` is a length for texts, a value for numbers. */
export const field = {
  string: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, string>>('string', { max: 512, ...o }),
  /** Text, kept exactly as sent but for outer blanks; where `max` says nothing, MAX_TEXT_LENGTH limits it. */
  text: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, string>>('text', o),
  integer: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, number>>('integer', o),
  number: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, number>>('number', o),
  /** Shown as a string, as clients expect of decimals. */
  decimal: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, number | string>>('decimal', o),
  boolean: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, boolean>>('boolean', o),
  /** An ISO text in a row. */
  datetime: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, string>>('datetime', o),
  /** `choices`: values, or [value, label] pairs; integer values make an integer choice. */
  choice: <
    const C extends readonly (string | number | readonly [string | number, string])[],
    const O extends FieldOptions = object,
  >(
    choices: C,
    o?: O,
  ) => {
    const pairs = choices.map((c) => (Array.isArray(c) ? c : [c, String(c)]) as readonly [string | number, string]);
    const numeric = pairs.every(([value]) => typeof value === 'number');
    return make<Stored<O, ChoiceValue<C[number]>>>('choice', { ...o, choices: pairs, numeric });
  },
  /** A JSON object stored as jsonb; as JSON, MAX_VARIABLES_LENGTH limits it. */
  json: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, Record<string, unknown>>>('json', o),
  /** A string holding a mapping as JSON, or as YAML 1.1 as the engine reads it (`variables`, `extra_vars`); never re-serialised. */
  jsonText: <const O extends FieldOptions & Pick<Field, 'engineTags'> = object>(o?: O) =>
    make<Stored<O, string>>('jsonText', o),
  /** A link to another resource: the API shows the id under the field's name, the column is `<name>_id`. */
  ref: <const O extends FieldOptions = object>(target: string, o?: O) =>
    make<Field<OrNull<O, number, number | null>, ColumnOf<O, '{}_id'>>>('ref', { nullable: true, ...o, target }),
  /** A JSON list stored as jsonb; limited as an object. */
  list: <const O extends FieldOptions = object>(o?: O) => make<Stored<O, unknown[]>>('list', o),
  /** Derived from the row (`compute`) or by SQL (`sql`); read only. */
  computed: (o: FieldOptions & { compute?(row: Row, call: Call): unknown } = {}) =>
    make<Field<unknown, never>>('computed', { filterable: false, ...o, mode: 'ro' }),
};
