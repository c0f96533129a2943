import type { ComponentChildren, ComponentType } from 'preact';
import type { BulkAction } from '../bulk/action.ts';

/** A record as the API answers it. */
export type Row = { id: number; type: string; summary_fields: Record<string, any>; [field: string]: any };

/** What OPTIONS says of a field. */
export interface FieldOption {
  type: string;
  label: string;
  help_text?: string;
  required?: boolean;
  default?: unknown;
  choices?: [string | number, string][];
  filterable?: boolean;
  /** a text that is hidden while it is typed and never shown again */
  secret?: boolean;
}

export interface Options {
  actions: Partial<Record<'GET' | 'POST' | 'PUT', Record<string, FieldOption>>>;
}

export interface CellColumn {
  label: string;
  /** `reload` reads the list again */
  cell: (row: Row, reload: () => Promise<void>) => ComponentChildren;
  narrow?: boolean;
  /** the field that a click on the heading sorts by */
  sort?: string;
}

/** What a field of a form that looks different from all others is given. */
export interface CustomFieldProps {
  value: any;
  onValue: (value: any) => void;
  errors: Record<string, string[]>;
  /** the whole form as it is now */
  values: Record<string, any>;
}

export interface TabProps {
  row: Row;
  resource: Resource;
  reload: () => Promise<void>;
}

export interface Tab {
  id: string;
  label: string;
  content: ComponentType<TabProps>;
  shown?: (row: Row) => boolean;
  /** it has an address of its own, below the record's: `/workflow_job_templates/6/graph` */
  page?: boolean;
}

/** One kind of record: only what cannot be taken from OPTIONS is said here. */
export interface Resource {
  /** its address in the console and, unless `api` says otherwise, below /api/v2/ */
  path: string;
  api?: string;
  /** as the API calls it in `type` */
  type: string;
  one: string;
  many: string;
  intro?: string;
  /** names of fields, or cells of their own; the first is the name and leads to the record */
  columns: readonly (string | CellColumn)[];
  /** what a list starts with; default `name` */
  order?: string;
  /** the field that names a record; default `name` */
  nameField?: string;
  /** fields by which the list is offered to be narrowed, whatever OPTIONS says; default all that it calls filterable and forms know */
  filters?: readonly string[];
  /** those of the form that come first, in this order; the rest follows under "More" */
  fields?: readonly string[];
  /** in OPTIONS, but not in the form */
  hidden?: readonly string[];
  /** shown besides the fields of the form */
  facts?: readonly string[];
  /** what its tabs show, and its facts do not */
  elsewhere?: readonly string[];
  /** field → list that it is chosen from, where the name alone does not tell */
  relations?: Readonly<Record<string, string>>;
  /** field → list of texts that are offered while typing */
  suggestions?: Readonly<Record<string, (values: Record<string, any>) => string | null>>;
  custom?: Readonly<Record<string, ComponentType<CustomFieldProps>>>;
  /** secrets that can be replaced, but not removed */
  lasting?: readonly string[];
  tabs?: readonly Tab[];
  /** beside the heading of a record */
  actions?: ComponentType<TabProps>;
  /** what can be done with several in a list, besides deleting them where they are not only read */
  bulk?: readonly BulkAction<Row>[];
  /** beside the heading of the list */
  listActions?: ComponentType;
  /** why it goes where it does after its deletion: the path of what it belongs to */
  parent?: (row: Row) => string;
  /** it is only read */
  readOnly?: boolean;
  /** a secret that the service tells when it makes one, and never again */
  shownOnce?: { field: string; label: string };
}

export const apiOf = ({ api, path }: Pick<Resource, 'api' | 'path'>): string => `${api ?? path}/`;

export const nameOf = ({ nameField = 'name' }: Pick<Resource, 'nameField'>, row: Row): string =>
  String(row[nameField] || `${row.type} ${row.id}`);

/** What is said of it beside its name, which may be just that. */
export const descriptionOf = ({ nameField }: Pick<Resource, 'nameField'>, row: Row): string =>
  nameField === 'description' ? '' : String(row['description'] ?? '');

export const may = (row: Row, capability: string): boolean =>
  row.summary_fields?.['user_capabilities']?.[capability] === true;
