// Runs before the first paint, so that a dark page never flashes white, and the frame that is drawn until the console
// runs is the one it will draw. Keep in step with src/lib/theme.ts and src/lib/signed-in.ts.
;(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      // Storage may be refused; the system's theme and nobody signed in are fair guesses then.
      return null
    }
  }
  const choice = stored('theme') ?? 'system'
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const html = document.documentElement
  html.dataset.theme = dark ? 'dark' : 'light'
  html.classList.toggle('dark', dark)
  const isOther = /^\/(setup|help|account\/(create|verify|invitation|forgot|change|logout|request))/.test(
    location.pathname,
  )
  html.dataset.boot = isOther ? 'plain' : stored('signed-in') === 'on' ? 'app' : 'login'
  if (stored('nav-minimised') === 'on') html.dataset.nav = 'minimised'
})()
