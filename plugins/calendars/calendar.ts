/** One of a calendar's windows: when it begins, and how long it lasts. */
export interface Window {
  rrule: string;
  duration: string;
}

export interface Calendar {
  id: number;
  name: string;
  organization_id: number;
  kind: 'allow' | 'deny';
  timezone: string;
  windows: readonly Window[];
}

/** In milliseconds; `end` is the first instant after it. */
export interface Span {
  start: number;
  end: number;
}
