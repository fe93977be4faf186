// A part of the example that `docs/importing.md` walks through. The import reads the name of the
// class and the unwind actions that it has, and does not compile it.
import UIKit

class AuthorsViewController: UITableViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Authors"
    }

    @IBAction func closedAbout(_ segue: UIStoryboardSegue) {}
}
