/** What OPTIONS calls a list is one, or nothing yet. */
export const rowsOf = (value) => (Array.isArray(value) ? value : []);
