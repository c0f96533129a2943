export type Language = 'yaml' | 'json' | 'rego' | 'jinja';
