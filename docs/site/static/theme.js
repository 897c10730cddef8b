// Before the page is drawn: the theme that was chosen with the button.
try {
  document.body.dataset.theme = localStorage.getItem('theme') || 'auto';
} catch {
  document.body.dataset.theme = 'auto';
}
