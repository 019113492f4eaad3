import MiniSearch, { type SearchResult } from 'minisearch'

const most = 12
const aroundHit = 70

let loading: Promise<MiniSearch> | undefined

/** Loads the index when search is first used: most readers never need it. */
function index(): Promise<MiniSearch> {
  loading ??= fetch(document.body.dataset.search ?? '')
    .then((answer) => answer.text())
    .then((text) =>
      MiniSearch.loadJSON(text, { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'text'] }),
    )
  loading.catch(() => (loading = undefined))
  return loading
}

const find = (all: MiniSearch, words: string): SearchResult[] =>
  all
    .search(words, {
      boost: { title: 4, page: 2 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      // Calls of the API repeat the words of every page; whoever looks for one adds its verb.
      boostDocument: (id) => (String(id).startsWith('/docs/api-') ? 0.5 : 1),
    })
    .slice(0, most)

function element(tag: string, className: string, ...content: (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.className = className
  made.append(...content)
  return made
}

/** Returns the text around the first hit, with hits marked. */
function excerpt(text: string, terms: string[]): (string | Node)[] {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`(${escaped.join('|')})`, 'i')
  const at = Math.max(0, text.search(pattern))
  const from = at > aroundHit ? text.indexOf(' ', at - aroundHit) + 1 : 0
  const piece = `${from > 0 ? '… ' : ''}${text.slice(from, from + 160)}${text.length > from + 160 ? ' …' : ''}`
  return piece.split(new RegExp(pattern, 'gi')).map((part) => (pattern.test(part) ? element('mark', '', part) : part))
}

function resultItem({ id, title, page, text, terms }: SearchResult): HTMLElement {
  const link = element('a', '') as HTMLAnchorElement
  link.href = String(id)
  const where = page === title ? '' : String(page)
  link.append(
    element('b', '', String(title)),
    ...(where ? [element('span', 'result-page', where)] : []),
    element('span', 'result-text', ...excerpt(String(text), terms)),
  )
  return element('li', '', link)
}

/** Opens search by its button, "/" or Ctrl K, and shows results while somebody types. */
export function enableSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.search')
  const input = dialog?.querySelector('input')
  const list = dialog?.querySelector('.results')
  const status = dialog?.querySelector('.search-status')
  if (!dialog || !input || !list || !status) return

  const open = () => {
    if (!dialog.open) dialog.showModal()
    input.select()
    void index()
  }
  const show = async () => {
    const words = input.value.trim()
    const results = words === '' ? [] : await index().then((all) => find(all, words))
    // Somebody typed on while the index was loaded.
    if (words !== input.value.trim()) return
    list.replaceChildren(...results.map(resultItem))
    status.textContent = words === '' ? '' : countText(results.length, words)
  }
  const move = (event: KeyboardEvent, by: number) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement) + by
    event.preventDefault()
    if (at < 0) input.focus()
    else links[Math.min(at, links.length - 1)]?.focus()
  }

  document.querySelector('.search-open')?.addEventListener('click', open)
  dialog.querySelector('.search-close')?.addEventListener('click', () => dialog.close())
  // Outside of what is in it is the backdrop.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  // A result on this page only moves to its heading.
  list.addEventListener('click', () => dialog.close())
  input.addEventListener(
    'input',
    () => void show().catch(() => (status.textContent = 'The search index could not be loaded. Try again.')),
  )
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1)
    else if (event.key === 'ArrowUp') move(event, -1)
    else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
    // By itself a search box first only empties itself.
    else if (event.key === 'Escape') dialog.close()
  })
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)) {
      event.preventDefault()
      open()
    }
  })
}

const countText = (count: number, words: string) =>
  count === 0
    ? `No results for “${words}”`
    : `${count === most ? `First ${most}` : count} ${count === 1 ? 'result' : 'results'}`
