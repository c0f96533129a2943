/** What pages of the console are made of, core's own and those of plugins. */

// what the API answers
export { ApiFailure, attemptKey, type FieldErrors, get, post, request } from './api/http.ts';
export { cookie } from './api/http.ts';
export { type Api, useApi } from './api/use-api.ts';
export { type Query, useAll, useQuery, useRead } from './api/query.ts';
export { gathered, inOrder, useRun, useRuns } from './api/runs.ts';
export { isActive, type Page, type Recommendation, type Run, type RunEvent } from './api/types.ts';
export type { Template, User } from './api/types.ts';

// who looks at it, and where
export { user, userName } from './api/session.ts';
export { go, place, type Route } from './router.ts';
export { isPage } from './plugins/known-pages.ts';

// what comes by itself
export { liveState, onEvents, onGroup, onParts, onResync, onStatus, type PartChange } from './api/live.ts';

// what people read
export { t, translate } from './texts/t.ts';

// several at once
export { type BulkAction, type Named } from './bulk/action.ts';
export { Selection } from './bulk/selection.tsx';

// parts of pages
export { attempt } from './components/attempt.ts';
export { CopyText } from './components/copy-text.tsx';
export { Chart, type ChartPoint } from './components/chart.tsx';
export { Dialog } from './components/dialog.tsx';
export { Diff } from './components/diff.tsx';
export { CodeField } from './editor/code-field.tsx';
export type { Language } from './editor/language.ts';
export { type DrawContext, drawnPage } from './components/drawn-page.tsx';
export { element } from './components/element.ts';
export { Folded } from './components/folded.tsx';
export { lazily } from './components/lazily.tsx';
export { Notice } from './components/notice.tsx';
export { type Crumb, Failure, Loading, PageLayout } from './components/page.tsx';
export { Pager } from './components/pager.tsx';
export { shown } from './components/shown.tsx';
export { useFirstPage } from './components/use-first-page.ts';
export { Status, statusLabel } from './components/status.tsx';
export { type Column, Table } from './components/table.tsx';
export { distance, duration, Elapsed, When } from './components/time.tsx';
export { toast } from './components/toasts.tsx';
export { type PanelProps, Panels } from './plugins/panels.tsx';

// forms
export {
  CheckField,
  type Choice,
  ChoicesField,
  Field,
  type FieldProps,
  SelectField,
  TextField,
  type TextProps,
} from './components/field.tsx';
export { describedBy, FieldNotes } from './components/field-notes.tsx';
export { Form } from './components/form.tsx';
export { RowsField } from './components/rows-field.tsx';
export { masked, SecretField } from './components/secret-field.tsx';
export { useFields } from './components/use-fields.ts';

export { useUnsaved } from './leaving/leaving.ts';

// lists, pages and forms of a resource, as OPTIONS tells of it
export { ActButton } from './generic/act-button.tsx';
export { Code } from './generic/cell.tsx';
export { DetailPage } from './generic/detail-page.tsx';
export { FilterBar } from './generic/filter-bar.tsx';
export { CopyButton } from './generic/copy-button.tsx';
export { FormField } from './generic/form-field.tsx';
export { type Fields, initialValues, sentBody, type Values } from './generic/form-values.ts';
export { historyTab } from './generic/history-tab.ts';
export { linkTab } from './generic/link-tab.tsx';
export { ListPage } from './generic/list-page.tsx';
export { addressWith, listPath, pageSize, readQuery } from './generic/list-query.ts';
export { listTab } from './generic/list-tab.tsx';
export { ListView } from './generic/list-view.tsx';
export { pagesOf } from './generic/pages.tsx';
export { RecordField, RecordsField } from './generic/record-field.tsx';
export { RelationPicker } from './generic/relation-picker.tsx';
export { ResourceForm } from './generic/resource-form.tsx';
export { runsTab } from './generic/runs-tab.tsx';
export { useOptions } from './generic/use-options.ts';
export { linkedPage, pageOf } from './resources/links.ts';
export { labelOfRow } from './resources/relations.ts';
export { apiOf, type CellColumn, type CustomFieldProps, type FieldOption, may, nameOf } from './resources/resource.ts';
export type { Options, Resource, Row, Tab, TabProps } from './resources/resource.ts';

// who may do what to it, and why
export { Why } from './access/why-tab.tsx';

// runs of every kind
export { type Launch, useLauncher } from './runs/launching.ts';
export { kindAt, runKinds, runNoun, runPath } from './resources/run-kinds.ts';
export { RunsTable } from './runs/runs-table.tsx';
export { SelectRuns } from './runs/select-runs.tsx';
