/* global RED, $ */
// Runs in the page of the editor. A deploy of many nodes takes seconds, in which Node-RED itself shows nothing.
{
  /** Deploys that are over by then show nothing. */
  const quietMs = 500
  /** A deploy whose flows neither start nor fail must not be shown for ever. */
  const startingMs = 60_000
  const label = { sending: 'sending', saving: 'saving', starting: 'starting' }
  const number = new Intl.NumberFormat('en-US')
  let current
  /** The revision Node-RED last reported as running; the report may come before the answer to the deploy is read. */
  let running

  $(document).ajaxSend((_event, request, settings) => {
    if (settings.type !== 'POST' || settings.url !== 'flows') return
    const one = begin()
    const make = settings.xhr
    settings.xhr = () => {
      const xhr = make()
      xhr.upload?.addEventListener('load', () => one.enter('saving'))
      return xhr
    }
    request.done((answer) => one.answered(answer?.rev)).fail(() => one.end())
  })
  const connect = RED.comms.connect
  RED.comms.connect = () => {
    connect()
    RED.comms.subscribe('notification/runtime-deploy', (_topic, { revision }) => {
      running = revision
      if (current?.revision === revision) current.end()
    })
    // Flows that cannot start say so by their state.
    RED.comms.subscribe('notification/runtime-state', (_topic, state) => {
      if (state?.state === 'stop' || state?.error) current?.failed()
    })
  }

  function begin() {
    current?.end()
    let phase = 'sending'
    let bar
    let nodes = 0
    RED.nodes.eachNode(() => void (nodes += 1))
    const text = () => `Deploying ${number.format(nodes)} ${nodes === 1 ? 'node' : 'nodes'} · ${label[phase]}…`
    const show = () => (bar ? (bar.lastChild.textContent = text()) : (bar = shown(text())))
    const timer = setTimeout(show, quietMs)
    let limit
    const one = {
      revision: undefined,
      enter(next) {
        phase = next
        if (bar) show()
      },
      answered(revision) {
        one.revision = revision
        if (!revision || running === revision) return one.end()
        limit = setTimeout(one.end, startingMs)
        one.enter('starting')
      },
      failed() {
        if (phase === 'starting') one.end()
      },
      end() {
        clearTimeout(timer)
        clearTimeout(limit)
        bar?.remove()
        if (current === one) current = undefined
      },
    }
    current = one
    return one
  }

  function shown(text) {
    const bar = document.createElement('div')
    bar.className = 'forge-deploy'
    bar.setAttribute('role', 'status')
    const sign = document.createElement('span')
    sign.className = 'forge-deploy-sign'
    const words = document.createElement('span')
    bar.append(sign, words)
    document.body.append(bar)
    // Once it is there, so that it is read aloud.
    words.textContent = text
    return bar
  }
}
