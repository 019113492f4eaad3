/** Marks the section in view in the list "On this page", and brings the current page into view in the menu. */
export function followContents(): void {
  const current = document.querySelector('.menu [aria-current]')
  const menu = document.querySelector('.menu')
  if (current && menu && current.getBoundingClientRect().bottom > menu.getBoundingClientRect().bottom)
    menu.scrollTop = current.getBoundingClientRect().top - menu.getBoundingClientRect().top - menu.clientHeight / 2

  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [link.hash.slice(1), link]),
  )
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? [])
  if (headings.length === 0) return
  const mark = () => {
    const passed = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0]
    for (const [id, link] of links) link.classList.toggle('current', id === passed?.id)
  }
  let waits = false
  addEventListener(
    'scroll',
    () => {
      if (waits) return
      waits = true
      requestAnimationFrame(() => {
        waits = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
