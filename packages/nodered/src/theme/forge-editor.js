/* global RED, $ */
// Runs in the page of the editor, after Node-RED's own scripts and before they start.
{
  /** Marks a window that was opened only to sign in; such a window loads no flows. */
  const signInMark = 'forge-sign-in'
  /** Keeps which node or flow a link asked for while its reader is signed in, which takes it from the address. */
  const placeKey = 'forge-place'
  const adminPath = location.pathname
  const tokenKey = `auth-tokens${adminPath.slice(0, -1).replace(/\//g, '-')}`
  const answer = /[?&](code|access_token)=([^&]*)/.exec(location.search)

  if (location.hash === `#${signInMark}`) {
    sessionStorage.setItem(signInMark, '1')
    RED.init = () => location.replace(`${adminPath}auth/strategy`)
  } else if (sessionStorage.getItem(signInMark)) {
    RED.init = () => void finishSignIn()
  } else {
    keepPlace()
    useScheme()
    quietTours()
    keepSession()
    const connect = RED.comms.connect
    RED.comms.connect = () => {
      connect()
      sessionStorage.removeItem(placeKey)
      void showInstance()
    }
  }

  /** Puts the part of the address back that names a node or flow; the editor shows it as soon as it has its flows. */
  function keepPlace() {
    const place = sessionStorage.getItem(placeKey)
    if (/^#(flow|node|group)\/./.test(location.hash)) sessionStorage.setItem(placeKey, location.hash)
    else if (place) history.replaceState(null, '', location.pathname + location.search + place)
  }

  /** Ends a sign-in window: stores the token where the editor's own window reads it. */
  async function finishSignIn() {
    sessionStorage.removeItem(signInMark)
    const token = answer && (answer[1] === 'code' ? await exchanged(answer[2]) : answer[2])
    history.replaceState(null, '', adminPath)
    if (token) localStorage.setItem(tokenKey, JSON.stringify({ access_token: token }))
    const [refusal = 'The sign-in did not succeed. Close this window and try again.'] = RED.sessionMessages ?? []
    const note = document.createElement('p')
    note.style.padding = '24px'
    note.textContent = token ? 'You are signed in. Close this window and continue in the editor.' : refusal
    document.body.replaceChildren(note)
    if (token) window.close()
  }

  async function exchanged(code) {
    const reply = await fetch(`${adminPath}auth/token`, { method: 'POST', body: new URLSearchParams([['code', code]]) })
    return reply.ok ? (await reply.json()).accessToken : undefined
  }

  /** Node-RED 5 has a dark scheme of its own, which the dark theme builds on whatever the browser prefers. */
  function useScheme() {
    const isDark = getComputedStyle(document.documentElement).getPropertyValue('--forge-scheme').trim() === 'dark'
    if (!isDark) return
    document.documentElement.classList.add('nr-theme-dark')
    afterSettings(() => (RED.settings.editorTheme = { ...RED.settings.editorTheme, schemes: ['dark'] }))
  }

  /** Each instance is an origin of its own: a tour would welcome the same person in every one of them. */
  function quietTours() {
    const setting = 'editor.view.view-show-welcome-tours'
    afterSettings(() => {
      if (RED.settings.get(setting) === undefined) RED.settings.set(setting, false)
    })
  }

  function afterSettings(change) {
    const load = RED.settings.init
    RED.settings.init = (options, done) =>
      load(options, () => {
        change()
        done()
      })
  }

  /** A session that ended is renewed in a window of its own, so that this page keeps its undeployed changes. */
  function keepSession() {
    const login = RED.user.login
    const waiting = []
    let dialog
    let isLeaving = false
    const isLoaded = () => Boolean(RED.nodes.version?.())

    RED.user.login = (options, done) => {
      if (!isLoaded()) return login(options, done)
      waiting.push(typeof options === 'function' ? options : done)
      ask()
    }
    RED.events.on('logout', () => (isLeaving = true))
    $(document).ajaxError((_event, { status }, { url }) => {
      if (status === 401 && isLoaded() && !/^(https?:)?\/\//.test(url)) ask()
    })
    addEventListener('storage', ({ key, newValue }) => {
      if (key === tokenKey && newValue && dialog) goOn()
    })

    function ask() {
      if (dialog || isLeaving) return
      dialog = RED.notify(
        '<p><b>Your session has ended.</b></p><p>Sign in to deploy. Your changes stay in this page.</p>',
        {
          id: signInMark,
          type: 'warning',
          modal: true,
          fixed: true,
          buttons: [
            { text: 'Not now', click: close },
            {
              text: 'Sign in',
              class: 'primary',
              click() {
                const opened = window.open(`${adminPath}#${signInMark}`, '_blank', 'popup,width=520,height=720')
                if (!opened) RED.notify('Allow pop-up windows for this site, then try again.', 'error')
              },
            },
          ],
        },
      )
    }

    function close() {
      dialog?.close()
      dialog = undefined
    }

    function goOn() {
      $.ajax({ url: 'settings', dataType: 'json', cache: false, headers: { Accept: 'application/json' } }).done(
        ({ user }) => {
          close()
          RED.settings.user = user
          RED.events.emit('login', user.username)
          for (const done of waiting.splice(0)) done?.()
          RED.notify('You are signed in again. Your changes are still here.', 'success')
        },
      )
    }
  }

  /** Shows which instance this is, and the way back to it. */
  async function showInstance() {
    const instance = await $.getJSON('forge/instance')
    RED.menu.addItem('red-ui-header-button-sidemenu', {
      id: 'menu-item-forge',
      label: 'Open in FlowForge',
      href: instance.url,
    })
    const entry = document.getElementById('menu-item-forge')?.closest('li')
    entry?.parentElement?.prepend(entry)
    RED.events.emit('forge:instance', instance)
    if (instance.favicon) document.querySelector('link[rel=icon]')?.setAttribute('href', instance.favicon)

    const place = document.createElement('li')
    place.className = 'forge-place'
    if (instance.belongs) place.append(labelled('forge-belongs', instance.belongs))
    if (instance.environment) {
      document.documentElement.dataset.environment = instance.environment.kind
      place.append(labelled('forge-environment', instance.environment.label))
    }
    document.querySelector('ul.red-ui-header-toolbar')?.prepend(place)
  }

  function labelled(className, text) {
    const label = document.createElement('span')
    label.className = className
    label.textContent = text
    label.title = text
    return label
  }
}
