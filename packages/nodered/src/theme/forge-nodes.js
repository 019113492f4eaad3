/* global RED, $ */
// Leads from the nodes of the editor to their lines in the log of the console, and from there to the nodes.
{
  const action = 'forge:show-log-of-node'
  let logAddress

  showConfigNodes()
  offerInDialogs()
  RED.events.on('forge:instance', ({ log }) => {
    if (logAddress) return
    logAddress = log
    RED.actions.add(action, () => showLog(nodeInView()), { label: 'Show log of selected node or flow' })
    RED.keyboard.add('*', 'ctrl-g l', action)
    RED.menu.addItem('red-ui-header-button-sidemenu', {
      id: 'menu-item-forge-log',
      label: 'Show log of node or flow',
      onselect: action,
    })
    const entry = document.getElementById('menu-item-forge-log')?.closest('li')
    document.getElementById('menu-item-forge')?.closest('li')?.after(entry)
  })

  /** The node that is edited, or else the one that is selected, or else the flow that is shown. */
  function nodeInView() {
    const { nodes = [], flows = [] } = RED.view.selection() ?? {}
    return edited() ?? nodes[0]?.id ?? flows[0]?.id ?? RED.workspaces.active()
  }

  /** Editors of a value stand above the node whose value they edit. */
  function edited() {
    return RED.editor.getEditStack().findLast(({ id }) => id && (RED.nodes.node(id) || RED.nodes.subflow(id)))?.id
  }

  function showLog(id) {
    if (!logAddress) return RED.notify('The console cannot be reached. Try again in a moment.', 'warning')
    if (!id) return RED.notify('Select a node or a flow to show its log.', 'warning')
    // As a link, which leaves the console no way to this page.
    const link = document.createElement('a')
    Object.assign(link, { href: `${logAddress}?node=${encodeURIComponent(id)}`, target: '_blank', rel: 'noreferrer' })
    link.click()
  }

  /** A button beside those of Node-RED, at the foot of the dialog of a node. */
  function offerInDialogs() {
    const show = RED.tray.show
    RED.tray.show = (options) => {
      const open = options?.open
      if (!open) return show(options)
      const opened = (tray, ...rest) => {
        open.call(options, tray, ...rest)
        addButton(tray)
      }
      // By the number of its parameters Node-RED tells whether it calls back.
      show({ ...options, open: open.length > 1 ? (tray, done) => opened(tray, done) : (tray) => opened(tray) })
    }
  }

  function addButton(tray) {
    const { id } = RED.editor.getEditStack().at(-1) ?? {}
    if (!id || !(RED.nodes.node(id) || RED.nodes.subflow(id))) return
    const title = 'Show the log lines of this node'
    $('<button type="button" class="red-ui-button"><i class="fa fa-list-alt" aria-hidden="true"></i> Log</button>')
      .attr('title', title)
      .on('click', (event) => {
        event.preventDefault()
        showLog(id)
      })
      .appendTo(tray.find('.red-ui-tray-footer-left').first())
  }

  /** Node-RED opens a node that an address names as if it were on a flow; a configuration node has a dialog of its own. */
  function showConfigNodes() {
    const { edit } = RED.editor
    const { select } = RED.view
    const isConfig = (node) => node?._def?.category === 'config'
    RED.editor.edit = (node, ...rest) =>
      isConfig(node) ? RED.editor.editConfig('', node.type, node.id) : edit(node, ...rest)
    RED.view.select = (selection, ...rest) => {
      if (!isConfig(typeof selection === 'string' ? RED.nodes.node(selection) : undefined)) select(selection, ...rest)
    }
  }
}
