/** The `inputs` of a credential type: what a credential of it holds (contract §11.3). */
export interface InputField {
  id: string;
  label: string;
  type?: 'string' | 'boolean';
  format?: string;
  choices?: string[];
  help_text?: string;
  multiline?: boolean;
  secret?: boolean;
  default?: string | boolean;
  ask_at_runtime?: boolean;
}

export interface InputSchema {
  fields?: InputField[];
  /** of external types: by what one secret of the source is named */
  metadata?: InputField[];
  /** ids of fields, and of metadata */
  required?: string[];
  /** field → the fields that must be set beside it; managed types only */
  dependencies?: Record<string, string[]>;
}

export type Inputs = Record<string, string | boolean>;

/** Asks for the value at launch. */
export const ask = 'ASK';

/** A value that is encrypted at rest: ASK and blanks say nothing secret and must stay readable to launches. */
export const isSealed = (field: InputField, value: unknown) =>
  field.secret === true && typeof value === 'string' && value !== '' && value !== ask;

export const emptyValue = (field: InputField): string | boolean =>
  field.type === 'boolean' ? false : field.choices ? field.choices[0]! : '';
