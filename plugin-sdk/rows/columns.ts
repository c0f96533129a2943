type Plain<Value> = [Value] extends [number]
  ? 'bigint' | 'integer'
  : [Value] extends [boolean]
    ? 'boolean'
    : [Value] extends [string]
      ? 'text' | 'timestamp with time zone'
      : 'jsonb';

type ColumnType<Value> = null extends Value ? `${Plain<NonNullable<Value>>} | null` : Plain<Value>;

/** The columns of a view as Postgres knows them, checked against the type of its rows. */
export type Columns<Row> = { readonly [Column in keyof Row]-?: ColumnType<Row[Column]> };
