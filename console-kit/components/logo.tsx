export const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M6 16h5l3-8 4 16 3-8h5" />
  </svg>
);
