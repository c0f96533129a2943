export { ApiFailure, attemptKey, type FieldErrors, get, post, request } from '../api/http.ts';
export { type Query, useAll, useQuery } from '../api/query.ts';
export { user } from '../api/session.ts';
export { Failure, Loading, PageLayout } from '../components/page.tsx';
export { toast } from '../components/toasts.tsx';
export type { PanelProps } from '../plugins/panels.tsx';
export { go, place, type Route } from '../router.ts';
