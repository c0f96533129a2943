import type { Knex } from 'knex';
import type { Field, RowOf } from './field.ts';
import type { ListFormat } from './format.ts';
import type { Parameter } from './parameter.ts';

/** Who calls. `null` stands for an anonymous caller. */
export interface Actor {
  id: number;
  username: string;
  is_superuser: boolean;
  is_system_auditor: boolean;
  /** A token with scope `read` may only GET, HEAD and OPTIONS. */
  read_only: boolean;
  /** How the caller proved who it is. */
  via: 'basic' | 'token' | 'session' | 'system';
  /** Of a session: which one, and how strongly the user proved who it is. */
  session?: { id: number; assurance: 'password' | 'passkey' };
  /** of a token: which one */
  token_id?: number;
}

/** Values by column. */
export type Columns = Readonly<Record<string, unknown>>;

/** A row as the database gives it: its id, and its columns. */
export interface Row {
  id: number;
  [column: string]: unknown;
}

/** Narrows a query over the table that stands under an alias. */
export type Builder = Knex.QueryBuilder;

/**
 * One access rule in its two forms: may this actor do it to this row, and which rows exist for this actor.
 * The forms must agree; build them from the combinators of core/rbac only.
 */
export interface Rule {
  name: string;
  /**
   * `row` is the row as stored, or the validated input of one that is made. `db` is the connection, or the write's transaction,
   * for rules that look beyond the row; the service hands it in.
   */
  row(actor: Actor | null, row: Columns, db?: Knex): Promise<boolean>;
  /** Narrows a knex query over the resource's table under `alias`. */
  query(actor: Actor | null, builder: Builder, alias: string): void;
}

export interface Access {
  /** Which rows the caller may see: any other row answers 404. */
  see: Rule;
  /** May the caller create this row (the validated input)? Absent = nobody. */
  create?: Rule;
  change?: Rule;
  delete?: Rule;
}

/** One request to a handler, after authentication, lookup and access have passed. */
export interface Call {
  actor: Actor | null;
  /** A HEAD request arrives as GET. */
  method: string;
  /** Path parameters other than the row's id. */
  params: Record<string, string>;
  /** Query parameters, repeated ones as given. */
  query: URLSearchParams;
  /** The parsed body; `{}` when empty, and on routes that take it raw or not at all. */
  body: Record<string, unknown>;
  /** On routes with a raw body: its bytes as they came, at most `limitBytes`; signatures are checked over these. */
  rawBody?: Buffer;
  /** The request's headers, names in lower case. Without cookies, and without `authorization` where the service has judged it (it is there on public routes). */
  readonly headers: Readonly<Record<string, string>>;
  /** A header by its real name in lower case, else one that stands for it (`config/stand-ins.ts`). */
  header: (name: string) => string | undefined;
  ip: string;
  /** The Accept header as sent; '' when absent. For actions that choose a format themselves. */
  accept?: string;
  /** Which of the formats of a list was asked for; absent where it is JSON. */
  format?: string;
  /** The If-Match header of a request to a detail, checked against the row under its lock. */
  ifMatch?: string;
  requestId: string;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** The API form of rows of any type, in the order of the ids. Access has been checked by whoever picked the ids. */
  represent: (type: string, ids: readonly number[], view?: View) => Promise<Shown[]>;
  /** For a handler that copies a row in `trx`: gives the copy what plugins keep beside the original. */
  copyExtensions: (trx: Knex, type: string, from: number, to: number) => Promise<void>;
  /**
   * For a handler that writes a row itself, in `trx`: asks the guards of its type and tells the activity stream, as for any other write. `row` is
   * the row as stored now, `before` as it was (without it the row is new); `more`: what the entry says besides the fields, `[before, after]` by
   * name. @throws what a guard throws
   */
  written: (trx: Knex, type: string, row: Row, before?: Row, more?: Record<string, unknown>) => Promise<void>;
  /**
   * For a handler that links or unlinks rows itself, in `trx`, as the list `relation` below the parent would: asks the guards of the parent's type
   * and tells the activity stream. @throws what a guard throws
   */
  linked: (trx: Knex, parent: Named, relation: string, child: Named, detach: boolean) => Promise<void>;
  /** Which of these rows of a type the caller may see. */
  visible: (type: string, ids: readonly number[]) => Promise<Set<number>>;
  /** A page of a type's list for this call's query, as the list route would answer; `narrow` restricts it (alias `t`). */
  list: (type: string, narrow?: Narrow) => Promise<Reply>;
  /** The rows of that list, neither ordered nor cut, for counts and changes of all at once. @throws ApiError 400 for a wrong filter */
  rows: (type: string, narrow?: Narrow) => Builder;
  /** All of a type's list for this call's query in one of its `formats`, for an action that is such a list under a name of its own. */
  write: (type: string, format: string, narrow?: Narrow) => Promise<Reply>;
}

/** One row by its type and id. */
export type Named = { type: string; id: number };

/** Narrows a list's query, whose table stands under the alias. */
export type Narrow = (builder: Builder, alias: string) => void;

/** A record as the API shows it. */
export interface Shown {
  id: number;
  type: string;
  url: string;
  related: Record<string, unknown>;
  summary_fields: Record<string, unknown>;
  [field: string]: unknown;
}

export type View = 'list' | 'detail';

export interface Reply {
  status: number;
  /** object or array: JSON; string, Buffer or stream: sent as it is with `type`. */
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
}

/**
 * A success of an action or route, for the API description, which is held to be true: a body has every key that is told here
 * and no others. At most one of `type`, `fields` and `schema` is needed; errors are described for all routes alike.
 */
export interface Answered {
  /** default 200 */
  status?: number;
  /** the media type, default `application/json`; any other is a text unless `schema` says more */
  media?: string;
  /** a record of this type, or a page of them */
  type?: string;
  page?: true;
  /** keys of the body, each always there: besides those of the type, or all there are */
  fields?: Record<string, Field>;
  /** JSON Schema (draft 2020-12) of a body that neither says; `#/components/schemas/<type>` names the record of a type */
  schema?: object;
  /** there is no body */
  empty?: true;
}

/** Why clients should leave something, and since when; what is deprecated stays for two minor releases and six months at least. */
export interface Deprecation {
  /** ISO 8601 */
  since: string;
  /** when it goes, where that is known; ISO 8601 */
  sunset?: string;
  /** path of what takes its place */
  successor?: string;
  /** one sentence: what to do instead */
  why: string;
}

/** A sub-route of a detail (`/job_templates/N/launch/`) or of the list. */
export interface Action {
  /** Which rule guards it, per method; a method without a rule does not exist. */
  access: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Rule>>;
  handler(call: Call, row: Row): Promise<Reply>;
  summary?: string;
  /**
   * What a body may hold: told by OPTIONS and the API description, and checked before the handler runs (400 with the messages of each wrong field). `call.body`
   * then holds these alone, typed, links as ids of what the caller may see; what was not sent has its `default` or is absent. A PATCH need not hold what is required.
   */
  fields?: Record<string, Field>;
  /** false: the handler reads the body itself, as it was sent; `fields` only tell of it */
  validate?: false;
  /** POST from outside, without an account, by the rule for everybody: the handler judges `call.rawBody` and whatever that names. Its row is an `id` alone, and need not exist. */
  receives?: { limitBytes: number };
  /** the columns of the table are enough of its row for handler and rules: neither computed fields nor summaries are read */
  bareRow?: true;
  /** JSON Schema of a body that `fields` cannot tell, for the API description; the handler checks it */
  takes?: object;
  /** the type whose list GET answers with, by `call.list` or `call.write`: its parameters and filters are told as those of the action */
  lists?: string;
  /** Values of `?format=` that the handler serves itself; it then also judges `call.accept`, so no 404 or 406 before it. */
  formats?: readonly string[];
  /** false: no link in `related` */
  related?: false;
  /** What successes answer, by method: one, or one for each status and media type. Where nothing is said, a success may hold anything. */
  answers?: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Answered | readonly Answered[]>>;
  /** POST starts a run and answers with this status; clients may send it with an `Idempotency-Key`, and then it starts one run at most. */
  launches?: 201 | 202;
  /** it is on its way out: every answer says so in its headers, and the API description */
  deprecated?: Deprecation;
  /** it knows `?preview=true`, which starts nothing: no key is spent on that */
  previews?: true;
}

/** A route of its own, outside any resource: `/api/v2/ping/`. */
export interface Route extends Omit<Action, 'handler' | 'related' | 'bareRow'> {
  /** full path with its final slash; `:name` marks a parameter */
  path: string;
  handler: (call: Call) => Promise<Reply>;
  /** key in the root document under /api/v2/; absent = not listed there */
  root?: string;
  /** what OPTIONS says besides the name; it checks access itself, since OPTIONS passes no rule */
  describe?: (call: Call) => Promise<Record<string, unknown>>;
}

/** A list below a detail. */
export interface Sublist {
  /** type name of the listed resource */
  resource: string;
  /** one-to-many: the column of the child that points at the parent */
  column?: string;
  /** many-to-many: the table between; `ordered`: its column `position` keeps the order; `where`: its rows that have these values, and are made with them */
  through?: {
    table: string;
    parent: string;
    child: string;
    ordered?: boolean;
    where?: Readonly<Record<string, string>>;
  };
  /** any other relation: narrows the child query (alias `t`) to those of the parent row */
  where?(builder: Builder, parent: Row, alias: string): void;
  /** what the list holds below a parent for which it is not what `column` or `through` say */
  instead?(parent: Row): Narrow | undefined;
  /** refuses, by throwing, whatever is sent to the list of this parent */
  refuse?(call: Call, parent: Row): void;
  /** POST {id} / {id, disassociate}; needs `through`, `link` or a `column` */
  attach?: boolean;
  /** POST without id creates the child here */
  create?: boolean;
  /** rule on the parent row for writing; default the parent's `change` */
  write?: Rule;
  /** rule on the parent row for showing the form of the POST in OPTIONS, where `write` lets pass what `link` or a check decides later */
  offered?: Pick<Rule, 'row'>;
  /** refuses a pairing by throwing; runs inside the write's transaction */
  check?(trx: Knex, parent: Row, child: Row, call: Call): Promise<void>;
  /** the same for unlinking */
  checkDetach?(trx: Knex, parent: Row, child: Row, call: Call): Promise<void>;
  /** columns that a child created here takes from its parent (`inventory_id`) */
  inherit?: readonly string[];
  /** instead of `through`: links or unlinks by rules of its own, which decide also who may and whether the child is there; resolves to whether anything changed */
  link?(
    trx: Knex,
    parent: Row,
    childId: number,
    call: Call,
    how: { detach: boolean; created: boolean },
  ): Promise<boolean>;
  /** rule on the parent row for creating a child here, in place of the child's own */
  createRule?: Rule;
  /** more about the children shown here than elsewhere; a constant number of statements per page */
  decorate?(db: Knex, results: Shown[], parent: Row, call: Call): Promise<void>;
  /** fields of a child created here that `prepare` says, whatever was sent: forms do not offer them */
  fixes?: readonly string[];
  /** what the place says of a child before it is made here: may set or refuse what the body holds */
  prepare?(call: Call, parent: Row): void;
  /** the id of a row that is there already and that a body without id means: it is attached (204) instead of created */
  adopt?(db: Knex, parent: Row, call: Call): Promise<number | undefined>;
  /** `{ disassociate }` without id deletes the parent, as old clients expect of a group's children */
  detachDeletesParent?: boolean;
  orderBy?: string[];
}

/** A reverse or many-to-many path that filters may span (`credentials__id`, `jobs__status`). */
export interface Span {
  resource: string;
  column?: string;
  /** `where`: columns of the table between that must hold these values */
  through?: { table: string; parent: string; child: string; where?: Record<string, string> };
}

/** What one write hook is given; `input` holds validated columns, `row` the stored row. */
export interface WriteContext<R extends Row = Row> {
  trx: Knex;
  call: Call;
  input: Partial<R>;
  /** The row before the change; undefined on create. */
  before?: R;
  /** The keys that the client sent. */
  sent: ReadonlySet<string>;
  /** Done once the write is committed and before it is answered; of a write that is refused, never. */
  afterCommit: (work: () => Promise<unknown>) => void;
}

export interface Resource<R extends Row = Row> {
  /** singular type name: `job_template` */
  type: string;
  /** path segment under /api/v2/: `job_templates` */
  path: string;
  /** key in the root document when it is not the path (`inventory`); false = not listed there */
  root?: string | false;
  table: string;
  /** shared tables: the rows that are of this type, e.g. `{ kind: 'job' }`; also set on create */
  where?: Record<string, string>;
  /** the human name in messages: `Job template` */
  label: string;
  /** what such a record is, in one sentence; OPTIONS and the API description say it */
  description?: string;
  fields: Record<string, Field>;
  /** which methods exist; default list GET POST, detail GET PUT PATCH DELETE */
  methods?: { list?: readonly ('GET' | 'POST')[]; detail?: readonly ('GET' | 'PUT' | 'PATCH' | 'DELETE')[] };
  access: Access;
  /** further rights than those of `access`, by name: what actions ask for, and what `explain-access` tells besides */
  rights?: Readonly<Record<string, Rule | undefined>>;
  /**
   * Keys of `user_capabilities`, in the order shown, each with the name of the right that it stands for. Resources of
   * plugins have `edit` and `delete` by themselves.
   */
  capabilities?: Readonly<Record<string, string>>;
  /**
   * Its details list what was done to them, resources of plugins always; `parts`: and to the rows of other types that
   * belong to them, by the type and the column that names the owner. false: nothing is told of its rows at all.
   */
  stream?: boolean | { parts: Readonly<Record<string, string>> };
  orderBy: readonly string[];
  search?: readonly string[];
  spans?: Record<string, Span>;
  sublists?: Record<string, Sublist>;
  /** of a plugin's resource: named in `summary_fields.user_capabilities` where they write */
  actions?: Record<string, Action>;
  listActions?: Record<string, Action>;
  /** what lists can be narrowed by besides their filters, by the name in the query: `{ since: parameter.since('created') }` */
  parameters?: Record<string, Parameter>;
  /**
   * A reserved parameter of its lists that holds a whole expression of filters: `a=1 and (b__icontains=x or not c=2)`. `documents`:
   * JSON documents of a row, by the name that paths into them begin with; each is the SQL that one contains the JSON `?`.
   */
  expression?: { parameter: string; help: string; documents?: Readonly<Record<string, string>> };
  /** what lists are written as besides JSON, by the name in `?format=`: `{ csv: format.csv() }` */
  formats?: Record<string, ListFormat>;
  /** links besides those of refs, sublists and actions; null entries are left out */
  related?(row: R): Record<string, string | null>;
  /** further summary_fields for a whole page at once: returns one object per row id (no N+1) */
  summaries?(db: Knex, rows: R[], call: Call, view: View): Promise<Map<number, Record<string, unknown>>>;
  /** which keys of the target a ref to this resource shows in summary_fields; default id, name, description */
  summary?: readonly string[];
  /** further SQL columns of the rows that `related`, `summaries`, `present` and `compute` see: name → expression over `{alias}`. Timestamps in those rows are ISO texts. */
  extraSql?: Record<string, string>;
  /** unique constraints: constraint name → the answer when it is hit */
  unique?: Record<string, { field: string; message: string }>;
  /**
   * Its rows come about by being launched: a POST, to the list or below another record, is checked as any other, and then this
   * starts the run and answers, in place of an insert. `values`, by the names of fields: sent, by default, or of the place.
   */
  launch?(call: Call, values: Columns): Promise<Reply>;
  /** What takes its time, as the sandbox does: before the write holds anything, for who may write. What it changes is lost. */
  beforeWrite?(context: Pick<WriteContext<R>, 'call' | 'input' | 'before'>): Promise<void>;
  validate?(context: WriteContext<R>): Promise<void> | void;
  afterCreate?(context: WriteContext<R>, row: R): Promise<void>;
  afterUpdate?(context: WriteContext<R> & { before: R }, row: R): Promise<void>;
  /** may resolve to what the activity stream says of the deletion besides the row itself */
  beforeDelete?(trx: Knex, row: R, call: Call): Promise<Record<string, unknown> | void>;
  /** what POST does in place of storing the input as a row, where rows are a view of others; resolves to the row that it stands for */
  insert?(context: WriteContext<R>): Promise<Row>;
  /** what DELETE does in place of deleting the row, which may stay (as one that is marked); it locks what it has to */
  remove?(trx: Knex, row: R, call: Call): Promise<void>;
  afterDelete?(trx: Knex, row: R, call: Call): Promise<void>;
  /** last touch on the representation; must not query */
  present?(representation: Shown, row: R, view: View, call: Call): void;
  /** Rows keyed by something else than `id`: `sql` is the public id (`{alias}` as in fields), shown and ordered by; `columns` those that equal it, so that lookups use the key. */
  identity?: { sql: string; columns: (id: number) => Record<string, number> };
  /** `?limit=n` answers `{ results }` with at most n rows, uncounted and unpaged. */
  limitParameter?: boolean;
  /** Headers of list answers, from the request's own row of settings (`X-UI-Max-Events`). */
  listHeaders?: (call: Call) => Record<string, string>;
  /** a mixed list: the types whose rows share this table, told apart by their `where`; each row is shown in its own type's shape */
  variants?: readonly string[];
  /** rows that no list shows (alias of the table given); details show them */
  listed?(builder: Builder, alias: string): void;
  /** columns that reads never fetch: heavy or internal ones that no field, link or rule needs */
  hiddenColumns?: readonly string[];
  /** what `<path>/<name>/` may be in place of the id: own fields, or a ref, which stands for its target's own naming */
  naming?: readonly string[];
  /** all of it is on its way out: every answer says so in its headers, and the API description */
  deprecated?: Deprecation;
  /** status of a successful DELETE, 204 unless set */
  deleteStatus?: number;
}

/**
 * Declares a resource; throws at once when the declaration cannot work. The rows that its functions are given have the columns of
 * its fields, by their types; of any other column nothing is known.
 */
export function defineResource<const F extends Record<string, Field>>(
  resource: Omit<Resource<RowOf<F>>, 'fields'> & { fields: F },
): Resource {
  if (!resource.access?.see)
    throw new Error(`resource ${resource.type}: access.see is missing: every route must state its access`);
  if (!resource.orderBy.length)
    throw new Error(`resource ${resource.type}: orderBy is empty: lists need a stable order`);
  return resource as Resource;
}
