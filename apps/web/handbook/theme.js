// Runs before the first paint, so that a dark page never flashes white. The console keeps its theme under the same key.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('theme')
  } catch {
    // Storage may be refused; the system's theme is a fair guess then.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const html = document.documentElement
  html.dataset.theme = dark ? 'dark' : 'light'
  html.classList.toggle('dark', dark)
  html.classList.add('has-script')
})()
