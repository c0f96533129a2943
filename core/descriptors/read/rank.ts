import type { Field } from '@tapline/plugin-sdk';

const literal = (value: string | number) => `'${String(value).replaceAll("'", "''")}'`;

/** SQL of the place that a value of a ranked field has among its choices, from 1. */
export const rankSql = ({ choices = [] }: Field, sql: string): string =>
  `array_position(array[${choices.map(([value]) => literal(value)).join(', ')}]::text[], ${sql})`;

/** The place of a value, from 1; 0 where it is none of the choices. */
export const rankOf = ({ choices = [] }: Field, value: string): number =>
  choices.findIndex(([choice]) => choice === value) + 1;
