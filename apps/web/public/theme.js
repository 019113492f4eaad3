// Runs before the first paint, so that a dark page never flashes white. Keep in step with src/lib/theme.ts.
;(() => {
  let choice = 'system'
  try {
    choice = localStorage.getItem('theme') ?? 'system'
  } catch {
    // Storage may be refused; the system's theme is a fair guess then.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.classList.toggle('dark', dark)
})()
